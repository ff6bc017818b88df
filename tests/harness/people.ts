import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Role } from '@deckhand/contracts';
import type { Instance } from './gateway.js';

/** A person who is signed in. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  /** A session's token. */
  readonly session: string;
}

/** Puts a person and a session into the database; with a role, also a member of the instance's workspace. */
export async function addPerson(instance: Instance, role?: Role): Promise<Person> {
  const { db, workspaceId } = instance;
  const userId = uuidv7();
  const email = `${userId}@test.local`;
  const session = randomBytes(32).toString('base64url');
  const tokenHash = createHash('sha256').update(session).digest('hex');
  const expiresAt = new Date(Date.now() + 3_600_000);
  await db.user.create({ data: { id: userId, email, name: 'Grace', passwordHash: '-' } });
  await db.session.create({ data: { id: uuidv7(), userId, tokenHash, expiresAt } });
  if (role !== undefined) await db.membership.create({ data: { workspaceId, userId, role } });
  return { userId, email, session };
}
