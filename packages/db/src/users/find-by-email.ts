import type { User } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** A user with the hash that signing in compares. */
export interface UserWithPassword extends User {
  readonly passwordHash: string;
}

/** Finds a user by e-mail address, whatever its case. */
export function findUserByEmail(db: Database, email: string): Promise<UserWithPassword | null> {
  return db.user.findUnique({
    where: { email: email.toLowerCase() },
    select: { id: true, email: true, name: true, isAdmin: true, passwordHash: true },
  });
}

/** Returns the hash of a signed-in person's password; undefined if the person was deleted. */
export async function readPasswordHash(db: Database, userId: string): Promise<string | undefined> {
  const user = await db.user.findUnique({ where: { id: userId }, select: { passwordHash: true } });
  return user?.passwordHash;
}
