import type { Request } from 'express';
import type { LoginResponse, User } from '@deckhand/contracts';
import { createSession, type Database, type NewSession, type SessionLimits } from '@deckhand/db';
import { originOf } from '../http/caller-address.ts';
import { createSecret, hashSecret } from './tokens.ts';

const MAX_USER_AGENT_LENGTH = 500;

/** How a person signs in: by a password, whose hash was compared, or an identity. */
export type SessionOrigin = Pick<NewSession, 'passwordHash' | 'identityId' | 'sealedIdToken' | 'isSecondFactorProved'>;

/** What sessions need. */
export interface SessionContext {
  readonly db: Database;
  readonly sessionLimits: SessionLimits;
}

/** Signs a person in. Stores the hash of a new token, and returns the token. */
export async function openSession(
  { db, sessionLimits }: SessionContext,
  user: User,
  request: Request,
  by: SessionOrigin = {},
): Promise<LoginResponse> {
  const token = createSecret();
  const actor = { userId: user.id, boundTo: null, origin: () => originOf(request, null) };
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH);
  const expiresAt = await createSession(db, actor, { ...by, tokenHash: hashSecret(token), userAgent }, sessionLimits);
  const { id, email, name, isAdmin } = user;
  return { token, expiresAt: expiresAt.toISOString(), user: { id, email, name, isAdmin } };
}
