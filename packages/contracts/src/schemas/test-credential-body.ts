import Type, { type Static } from 'typebox';
import { CLOSED } from './common.ts';
import { CONNECTOR_NAME, CONNECTOR_VERSION } from './connector-packs.ts';

/** What a credential is tested with. */
export const TestCredentialBody = Type.Object(
  {
    connector: Type.Optional(
      Type.String({
        pattern: CONNECTOR_NAME,
        description: 'A connector whose pack names a harmless request, for credentials that nodes send anywhere',
      }),
    ),
    version: Type.Optional(Type.String({ pattern: CONNECTOR_VERSION, description: 'The version of the connector' })),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'An address to get with the credential, in place of a connector',
      }),
    ),
  },
  CLOSED,
);
export type TestCredentialBody = Static<typeof TestCredentialBody>;
