import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** 160 bits, as RFC 4226 (section 4) recommends. */
const SECRET_BYTES = 20;
/** How long a code is shown, in seconds. */
const PERIOD_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the present one whose codes are accepted: clocks differ, and people type slowly. */
const WINDOW = 1;

/** Creates a secret for an authenticator app, in base32. */
export function createTimeSecret(): string {
  return Secret.fromHex(randomBytes(SECRET_BYTES).toString('hex')).base32;
}

/** Returns the URI of a secret that authenticator apps read from a QR code. */
export function timeSecretUri(secret: string, email: string): string {
  return codesOf(secret, email).toString();
}

/**
 * Returns the time step of a code (RFC 6238): the present one, or one next to it.
 * @param now a time in ms. @returns undefined for a code of another time or secret.
 */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const digits = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return undefined;
  const delta = codesOf(secret).validate({ token: digits, timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / 1_000 / PERIOD_SECONDS) + delta;
}

function codesOf(secret: string, label = ''): TOTP {
  return new TOTP({
    ...{ issuer: 'Deckhand', label, algorithm: 'SHA1', digits: DIGITS, period: PERIOD_SECONDS },
    secret: Secret.fromBase32(secret),
  });
}
