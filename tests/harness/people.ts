import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Role } from '@deckhand/contracts';
import type { Instance, Stores } from './gateway.ts';

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
  await db.user.create({ data: { id: userId, email, name: 'Grace', passwordHash: '-' } });
  const { token } = await addSession(instance, userId);
  if (role !== undefined) await db.membership.create({ data: { workspaceId, userId, role } });
  return { userId, email, session: token };
}

/** Puts one more session of a person into the database: signing in takes a slow hash. */
export async function addSession({ db }: Stores, userId: string): Promise<{ id: string; token: string }> {
  const [id, token] = [uuidv7(), randomBytes(32).toString('base64url')];
  const expiresAt = new Date(Date.now() + 3_600_000);
  await db.session.create({ data: { id, userId, tokenHash: hashOf(token), expiresAt } });
  return { id, token };
}

/** The scopes of a key, and the only workspace it may use. */
export interface KeyLimits {
  readonly scopes?: string[];
  readonly workspaceId?: string;
}

/** Puts an API key of a person into the database: creating one takes a slow hash. Without limits its scope is `*`. */
export async function addKey(
  { db }: Stores,
  userId: string,
  { scopes = ['*'], workspaceId }: KeyLimits = {},
): Promise<{ id: string; key: string }> {
  const [id, key] = [uuidv7(), `dk_${randomBytes(32).toString('hex').slice(0, 43)}`];
  const keyHash = hashOf(key);
  const keyPrefix = key.slice(0, 10);
  await db.apiKey.create({ data: { id, userId, workspaceId, name: 'test', keyPrefix, keyHash, scopes } });
  return { id, key };
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
