import { DeckhandError } from '@deckhand/contracts';
import { type Database, isConfirmedSession } from '@deckhand/db';
import type { SessionCaller } from './caller.ts';

/** How long a proof counts, in ms. */
const CONFIRMED_FOR_MS = 600_000;

/**
 * Checks that the person of a session proved within ten minutes who they are: a stolen session alone must not change
 * how people get in.
 * @throws DeckhandError CONFIRMATION_REQUIRED.
 */
export async function requireConfirmed({ db }: { readonly db: Database }, caller: SessionCaller): Promise<void> {
  if (await isConfirmedSession(db, caller.sessionId, CONFIRMED_FOR_MS)) return;
  throw new DeckhandError('CONFIRMATION_REQUIRED');
}
