import Type, { type Static } from 'typebox';
import { ROLES } from '../roles.ts';
import { CLOSED, Id, oneOf, Time } from './common.ts';

export const AddMemberBody = Type.Object(
  { email: Type.String({ format: 'email', maxLength: 254 }), role: oneOf(ROLES) },
  CLOSED,
);
export const UpdateMemberBody = Type.Object({ role: oneOf(ROLES) }, CLOSED);

/** A member of a workspace, as the others see it. */
export const MemberEntry = Type.Object({
  userId: Id,
  email: Type.String(),
  name: Type.String(),
  role: oneOf(ROLES),
  createdAt: Time,
});

export type AddMemberBody = Static<typeof AddMemberBody>;
export type UpdateMemberBody = Static<typeof UpdateMemberBody>;
export type MemberEntry = Static<typeof MemberEntry>;
