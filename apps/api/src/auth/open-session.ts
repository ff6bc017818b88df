import type { Request } from 'express';
import type { LoginResponse, User } from '@deckhand/contracts';
import { createSession, type Database } from '@deckhand/db';
import { originOf } from './origin.js';
import { createSessionToken, hashSecret } from './tokens.js';

const USER_AGENT_MAX = 500;

/** Signs a person in: keeps the hash of a new token and answers the token, once. */
export async function openSession(db: Database, user: User, request: Request): Promise<LoginResponse> {
  const token = createSessionToken();
  const actor = { userId: user.id, boundTo: null, origin: () => originOf(request, null) };
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX);
  const expiresAt = await createSession(db, actor, { tokenHash: hashSecret(token), userAgent });
  const { id, email, name, isAdmin } = user;
  return { token, expiresAt: expiresAt.toISOString(), user: { id, email, name, isAdmin } };
}
