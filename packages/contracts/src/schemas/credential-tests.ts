import Type, { type Static } from 'typebox';
import { nullable, Time } from './common.ts';

/** Maximum length of the message of a test, in characters. */
export const MAX_TEST_MESSAGE = 2_000;

/** The result of a test of a credential. */
export const CredentialTest = Type.Object({
  ok: Type.Boolean({ description: 'Whether the service accepted the credential' }),
  code: nullable(Type.String(), { description: 'The code with which a node would have failed; null if it is ok' }),
  message: nullable(Type.String({ maxLength: MAX_TEST_MESSAGE }), { description: 'What went wrong; null if it is ok' }),
  testedAt: Time,
});
export type CredentialTest = Static<typeof CredentialTest>;
