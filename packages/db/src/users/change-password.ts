import { DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';

/** A password that replaces the one whose hash was compared. */
export interface PasswordChange {
  /** The hash that the present password was compared with. */
  readonly currentHash: string;
  readonly newHash: string;
  /** The session that stays. */
  readonly sessionId: string;
}

/**
 * Sets a person's password and ends every other session of theirs, at once.
 * @throws DeckhandError FORBIDDEN when the password was changed meanwhile.
 */
export function changePassword(db: Database, actor: Actor, change: PasswordChange): Promise<void> {
  const { userId } = actor;
  const { currentHash, newHash, sessionId } = change;
  return db.$transaction(async (tx) => {
    const { count } = await tx.user.updateMany({
      where: { id: userId, passwordHash: currentHash },
      data: { passwordHash: newHash },
    });
    if (count === 0) throw new DeckhandError('FORBIDDEN', { message: 'The password was changed meanwhile' });
    await tx.session.deleteMany({ where: { userId, id: { not: sessionId } } });
    await recordChange(tx, actor, { action: 'user.changePassword', workspaceId: null, resourceId: userId });
  });
}
