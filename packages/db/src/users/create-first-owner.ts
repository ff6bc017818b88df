import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type User } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** Any number that only setup locks. */
const SETUP_LOCK = 3_141_592;

/** The first person of an instance and the workspace that this person owns. */
export interface FirstOwner {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly workspaceName: string;
}

/** Returns true once there is a user: setup is complete. */
export async function hasUsers(db: Database): Promise<boolean> {
  return (await db.user.findFirst({ select: { id: true } })) !== null;
}

/**
 * Creates the first user, an instance administrator, and the first workspace. Both of two concurrent calls wait for the
 * same lock before they check, so one creates and the other is refused.
 * @throws DeckhandError INVALID_STATE when there is a user already.
 */
export function createFirstOwner(db: Database, owner: FirstOwner): Promise<User> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${SETUP_LOCK})`;
    if (await tx.user.findFirst({ select: { id: true } })) throw setupIsOver();
    const user = await tx.user.create({
      data: {
        id: uuidv7(),
        email: owner.email.toLowerCase(),
        name: owner.name,
        passwordHash: owner.passwordHash,
        isAdmin: true,
      },
      select: { id: true, email: true, name: true, isAdmin: true },
    });
    await tx.workspace.create({
      data: { id: uuidv7(), name: owner.workspaceName, memberships: { create: { userId: user.id, role: 'owner' } } },
    });
    return user;
  });
}

/** Returns the error for a second setup. */
export function setupIsOver(): DeckhandError {
  return new DeckhandError('INVALID_STATE', { message: 'This instance is set up already: sign in instead' });
}
