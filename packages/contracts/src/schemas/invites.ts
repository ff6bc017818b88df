import Type, { type Static } from 'typebox';
import { ROLES } from '../roles.ts';
import { Email, Name, Password, UserSchema } from './auth.ts';
import { CLOSED, Id, nullable, oneOf, Time } from './common.ts';

export const CreateInviteBody = Type.Object({ email: Type.Optional(nullable(Email)), role: oneOf(ROLES) }, CLOSED);

/** States of an invite. */
export const INVITE_STATES = ['Pending', 'Accepted', 'Expired'] as const;

const InviteFields = {
  id: Id,
  workspaceId: Id,
  email: nullable(Type.String({ description: 'The only address that may accept it; null for anybody with the link' })),
  role: oneOf(ROLES),
  state: oneOf(INVITE_STATES),
  createdBy: Id,
  createdAt: Time,
  expiresAt: Time,
  acceptedAt: nullable(Time),
  acceptedBy: nullable(Id),
};

/** An invite as lists show it: never its token. */
export const InviteEntry = Type.Object(InviteFields);

/** Answer of an invite's creation: the only place that shows `token`. */
export const CreatedInvite = Type.Object({ ...InviteFields, token: Type.String() });

/** A new person says who they are; a signed-in one sends the token alone. */
export const AcceptInviteBody = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 200 }),
    email: Type.Optional(Email),
    name: Type.Optional(Name),
    password: Type.Optional(Password),
  },
  CLOSED,
);

/** What accepting leads to: the membership, and for a new person a session. */
export const AcceptedInvite = Type.Object({
  workspaceId: Id,
  role: oneOf(ROLES),
  token: Type.Optional(Type.String()),
  expiresAt: Type.Optional(Time),
  user: Type.Optional(UserSchema),
});

export type CreateInviteBody = Static<typeof CreateInviteBody>;
export type InviteEntry = Static<typeof InviteEntry>;
export type CreatedInvite = Static<typeof CreatedInvite>;
export type AcceptInviteBody = Static<typeof AcceptInviteBody>;
export type AcceptedInvite = Static<typeof AcceptedInvite>;
