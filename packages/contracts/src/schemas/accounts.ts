import Type, { type Static } from 'typebox';
import { Password } from './auth.ts';
import { CLOSED, Id, nullable, Time } from './common.ts';

/** A person with an account, as administrators see it. */
export const AccountEntry = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  isAdmin: Type.Boolean(),
  hasPassword: Type.Boolean({ description: 'False for a person who only signs in by single sign-on' }),
  issuers: Type.Array(Type.String({ description: 'An identity provider that the person is connected with' })),
  createdAt: Time,
  deactivatedAt: nullable(Time),
});

export const RequestPasswordResetBody = Type.Object({ email: Type.String({ minLength: 1, maxLength: 254 }) }, CLOSED);

export const RedeemPasswordResetBody = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 200 }), newPassword: Password },
  CLOSED,
);

/** Answer of GET /api/auth/methods. */
export const SignInMethods = Type.Object({
  singleSignOn: nullable(Type.Object({ label: Type.String({ description: 'What the button says' }) })),
  passwordReset: Type.Boolean({ description: 'Whether the instance sends links to a new password' }),
});

export type AccountEntry = Static<typeof AccountEntry>;
export type RequestPasswordResetBody = Static<typeof RequestPasswordResetBody>;
export type RedeemPasswordResetBody = Static<typeof RedeemPasswordResetBody>;
export type SignInMethods = Static<typeof SignInMethods>;
