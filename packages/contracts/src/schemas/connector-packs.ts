import Type, { type Static } from 'typebox';
import type { JsonValue } from '../json.ts';
import { CLOSED, oneOf } from './common.ts';
import { CredentialRateLimit } from './credentials.ts';
import { NODE_ICONS } from './node-types.ts';
import { OAuth2Secret } from './oauth2.ts';

const title = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
/** Patterns of what a definition names: a connector, its version and an operation. */
export const CONNECTOR_NAME = '^[a-z][a-z0-9-]{0,39}$';
export const CONNECTOR_VERSION = '^\\d{1,5}\\.\\d{1,5}\\.\\d{1,5}$';
export const CONNECTOR_OPERATION = '^[a-z][a-zA-Z0-9]{0,39}\\.[a-z][a-zA-Z0-9]{0,39}$';

const ActionId = Type.String({
  pattern: CONNECTOR_OPERATION,
  description: 'A noun and a verb: `issue.create`',
});
const HeaderName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$" });
/** Names with dots between them. */
const DataPath = Type.String({ minLength: 1, maxLength: 500, description: 'Names with dots between them' });
/** A path of at most 500 characters and 20 names: what it costs to find its field grows with their square. */
const FIELD_PATH = '^(?=.{1,500}$)(server|path|query|header|cookie|body)(\\.[^.]*){0,19}$';

/** Where the choices of a field come from: the items of a list that another action returns. */
export const FieldOptions = Type.Object(
  {
    action: ActionId,
    items: Type.Optional(Type.String({ maxLength: 500, description: 'The list in the response; the body without it' })),
    value: DataPath,
    label: Type.Optional(DataPath),
  },
  { ...CLOSED, description: 'Choices of the field: the items of a list that an action of the pack returns' },
);
export type FieldOptions = Static<typeof FieldOptions>;

/** What a pack changes about a field of an operation. */
const PackField = Type.Object(
  {
    title: Type.Optional(title('Its label')),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    default: Type.Optional(Type.Unsafe<JsonValue>({ description: 'Sent if the field is empty' })),
    hidden: Type.Optional(Type.Boolean({ description: 'Whether forms leave it out: its default is always sent' })),
    options: Type.Optional(FieldOptions),
  },
  CLOSED,
);

const Paging = Type.Object(
  {
    mode: oneOf(['link', 'cursor', 'url', 'page', 'offset'], {
      description:
        'Where the next page is: at the `Link` header, at a cursor or a URL in the response, or at the next number',
    }),
    next: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Names with dots between them; -1 is the last item of a list',
      }),
    ),
    parameter: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The query parameter of the cursor or number' }),
    ),
    start: Type.Optional(Type.Integer({ minimum: 0, description: 'The first number' })),
    items: Type.Optional(Type.String({ maxLength: 500, description: 'The list in the response; the body without it' })),
  },
  { ...CLOSED, description: 'How further pages are read' },
);
export type PackPaging = Static<typeof Paging>;

const PackOperation = Type.Object(
  {
    id: ActionId,
    operation: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Its `operationId`, or its method and path: `GET /users/{id}`',
    }),
    title: title('What it does: `Create an issue`'),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    fields: Type.Optional(
      Type.Record(Type.String({ pattern: FIELD_PATH }), PackField, {
        ...CLOSED,
        maxProperties: 200,
        description: 'By place and name: `path.owner`, `body.title`',
      }),
    ),
    paging: Type.Optional(Paging),
    idempotencyHeader: Type.Optional(HeaderName),
  },
  CLOSED,
);

/**
 * What addresses have in place of the secret that belongs into their path, until they are sent. Its characters are not
 * encoded in addresses.
 */
export const SECRET_IN_PATH = '~secret~';

/** What is the same for every client of a provider. */
const CREDENTIAL_MEMBERS = [
  'grant',
  'authorizationUrl',
  'deviceAuthorizationUrl',
  'tokenUrl',
  'revocationUrl',
  'clientAuthentication',
  'scopes',
  'audience',
  'extraParameters',
] as const;

export const PackCredential = Type.Object(
  {
    type: oneOf(['apiKey', 'basic', 'bearer', 'header', 'oauth2']),
    title: title('What people know it by: `Personal access token`'),
    header: Type.Optional(HeaderName),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'For an API key that is part of addresses, in place of a header: the first name in braces of each path, `token` of `/bot{token}/getMe`',
      }),
    ),
    oauth2: Type.Optional(Type.Partial(Type.Pick(OAuth2Secret, CREDENTIAL_MEMBERS))),
  },
  { ...CLOSED, description: 'A preset of a credential' },
);
export type PackCredential = Static<typeof PackCredential>;

const FailedWhen = Type.Object(
  {
    path: DataPath,
    equals: Type.Optional(
      Type.Union([Type.Boolean(), Type.Number(), Type.String({ maxLength: 200 })], {
        description: 'Any value but null, false and empty lists and texts without it',
      }),
    ),
  },
  {
    ...CLOSED,
    description: 'What a response says that has a status of success although the service did not do it, as JSON',
  },
);

/** The `pack.yaml` of a connector, beside its OpenAPI document. */
export const ConnectorPack = Type.Object(
  {
    name: Type.String({ pattern: CONNECTOR_NAME, description: 'As definitions name it' }),
    version: Type.String({ pattern: CONNECTOR_VERSION, description: 'Never changes once published' }),
    title: title('The name of the service'),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    icon: Type.Optional(oneOf(NODE_ICONS)),
    headers: Type.Optional(
      Type.Record(HeaderName, Type.String({ maxLength: 1_000 }), {
        ...CLOSED,
        maxProperties: 20,
        description: 'Sent with every request, such as the version of the API',
      }),
    ),
    credentials: Type.Optional(Type.Array(PackCredential, { maxItems: 10 })),
    test: Type.Optional(ActionId),
    limits: Type.Optional(CredentialRateLimit),
    errorMessage: Type.Optional(DataPath),
    failedWhen: Type.Optional(FailedWhen),
    operations: Type.Array(PackOperation, { minItems: 1, maxItems: 1_000 }),
  },
  CLOSED,
);
export type ConnectorPack = Static<typeof ConnectorPack>;
