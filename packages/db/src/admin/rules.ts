import { DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Queryable } from '../client.js';

/** @throws DeckhandError FORBIDDEN when the actor is no instance administrator. */
export async function requireAdministrator(db: Queryable, actor: Actor): Promise<void> {
  const user = await db.user.findUnique({ where: { id: actor.userId }, select: { isAdmin: true } });
  if (user?.isAdmin !== true) {
    throw new DeckhandError('FORBIDDEN', { message: 'This needs an administrator of the instance' });
  }
}
