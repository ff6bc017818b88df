import Type, { type Static } from 'typebox';
import { Id, Time } from './common.ts';

/** A signed-in session as its owner sees it: never its token. */
export const SessionEntry = Type.Object({
  id: Id,
  current: Type.Boolean({ description: 'Whether it is the session of the request' }),
  createdAt: Time,
  lastUsedAt: Time,
  expiresAt: Time,
  userAgent: Type.String(),
});

export type SessionEntry = Static<typeof SessionEntry>;
