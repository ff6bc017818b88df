import { DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Queryable } from '../client.js';

/** Whether the actor is an instance administrator. */
export async function isAdministrator(db: Queryable, actor: Actor): Promise<boolean> {
  const user = await db.user.findUnique({ where: { id: actor.userId }, select: { isAdmin: true } });
  return user?.isAdmin === true;
}

/** @throws DeckhandError FORBIDDEN when the actor is no instance administrator. */
export async function requireAdministrator(db: Queryable, actor: Actor): Promise<void> {
  if (!(await isAdministrator(db, actor))) {
    throw new DeckhandError('FORBIDDEN', { message: 'This needs an administrator of the instance' });
  }
}
