import { redirect } from '@tanstack/react-router';
import { readSession } from '../session/store.ts';

// The router redirects when a redirect is thrown.
/* oxlint-disable typescript/only-throw-error */

/** Redirects to the sign-in page without a session, and back afterwards. */
export function requireSession({ location: { href } }: { location: { href: string } }): void {
  if (readSession()) return;
  throw redirect({ to: '/sign-in', search: href === '/' ? {} : { next: href } });
}

/**
 * Redirects signed-in persons to the page that they wanted. @param next a path of this console; anything else, such as
 * another host, is ignored.
 */
export function leaveOnceSignedIn(next?: string): void {
  if (!readSession()) return;
  if (next?.startsWith('/w/') === true) throw redirect({ href: next });
  throw redirect({ to: '/' });
}
