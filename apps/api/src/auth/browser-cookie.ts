import type { Request, Response } from 'express';
import { ATTEMPT_SECONDS } from './sign-on-attempts.ts';
import { createSecret } from './tokens.ts';

/**
 * The cookie that binds a sign-in in several steps to its browser. It is the only cookie of the service, gives no
 * access, and lives for ten minutes. With https, its name keeps other hosts of the domain from setting it (RFC 6265bis,
 * 4.1.3.2).
 */
function nameOf(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-deckhand-sign-on' : 'deckhand-sign-on';
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/** Returns the secret of the browser; undefined if it has none. */
export function readBrowserSecret({ headers }: Request, publicUrl: string): string | undefined {
  const name = `${nameOf(publicUrl)}=`;
  const found = (headers.cookie ?? '')
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(name));
  const secret = found?.slice(name.length) ?? '';
  return /^[\w-]{43}$/.test(secret) ? secret : undefined;
}

/** Returns the secret of the browser, which gets one if it has none. Several tabs share it, so that each can finish. */
export function ensureBrowserSecret(request: Request, response: Response, publicUrl: string): string {
  const secret = readBrowserSecret(request, publicUrl) ?? createSecret();
  setBrowserSecret(response, publicUrl, secret);
  return secret;
}

/** Gives the browser a secret. `Lax`: the provider's redirect back is from another site. */
export function setBrowserSecret(response: Response, publicUrl: string, secret: string): void {
  response.cookie(nameOf(publicUrl), secret, {
    httpOnly: true,
    secure: isSecure(publicUrl),
    sameSite: 'lax',
    path: '/',
    maxAge: ATTEMPT_SECONDS * 1_000,
  });
}
