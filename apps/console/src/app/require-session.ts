import { redirect } from '@tanstack/react-router';
import { readSession } from '../session/store.js';

// The router is told where to go by what is thrown.
/* eslint-disable @typescript-eslint/only-throw-error */

/** Asks whoever is not signed in to be, and to come back afterwards. */
export function requireSession({ location: { href } }: { location: { href: string } }): void {
  if (readSession()) return;
  throw redirect({ to: '/sign-in', search: href === '/' ? {} : { next: href } });
}

/**
 * Leads those who are signed in to where they wanted to go.
 * @param next a path of this console; anything else, such as another host, counts for nothing.
 */
export function leaveOnceSignedIn(next?: string): void {
  if (!readSession()) return;
  if (next?.startsWith('/w/') === true) throw redirect({ href: next });
  throw redirect({ to: '/' });
}
