import Type, { type Static } from 'typebox';
import { LoginResponse } from './auth.ts';
import { CLOSED, nullable } from './common.ts';

/** A page of the console to go to after signing in. Only paths, so that nobody is led to another site. */
const NextPage = Type.String({ pattern: '^/(?![/\\\\])', maxLength: 2_000 });

export const StartSignOnBody = Type.Object({ next: Type.Optional(nullable(NextPage)) }, CLOSED);

export const StartedSignOn = Type.Object({
  authorizationUrl: Type.String({ description: 'The page of the identity provider to open in the same browser' }),
});

export const FinishSignOnBody = Type.Object(
  {
    parameters: Type.String({
      maxLength: 20_000,
      description: 'The query of the redirect back from the identity provider, without the question mark',
    }),
  },
  CLOSED,
);

/** A session, and the page that the sign-in was started for. */
export const FinishedSignOn = Type.Object({
  ...LoginResponse.properties,
  next: nullable(Type.String({ description: 'The page of the console that the sign-in was started for' })),
});

export const SignedOff = Type.Object({
  endSessionUrl: nullable(
    Type.String({ description: 'The page that ends the session at the identity provider; null if there is none' }),
  ),
});

export type StartSignOnBody = Static<typeof StartSignOnBody>;
export type StartedSignOn = Static<typeof StartedSignOn>;
export type FinishSignOnBody = Static<typeof FinishSignOnBody>;
export type FinishedSignOn = Static<typeof FinishedSignOn>;
export type SignedOff = Static<typeof SignedOff>;
