import Type from 'typebox';
import { CLOSED, oneOf } from './common.ts';
import { OAuth2Secret } from './oauth2.ts';

const Text = Type.String({ minLength: 1, maxLength: 65_536 });
/** The name of an HTTP header (RFC 9110). */
const HeaderName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$" });

/** Providers of language models, and where their APIs are unless a credential says otherwise. */
export const MODEL_PROVIDERS = {
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  mistral: 'https://api.mistral.ai/v1',
  openai: 'https://api.openai.com/v1',
  openaiCompatible: undefined,
} as const;

/** The names of those providers. */
export const MODEL_PROVIDER_NAMES = ['anthropic', 'google', 'mistral', 'openai', 'openaiCompatible'] as const;

/** What a secret of each type holds. */
export const CREDENTIAL_SECRETS = {
  apiKey: Type.Object({ header: Type.Optional(HeaderName), value: Text }, CLOSED),
  basic: Type.Object(
    { username: Type.String({ maxLength: 1_000 }), password: Type.String({ maxLength: 65_536 }) },
    CLOSED,
  ),
  bearer: Type.Object(
    {
      token: Text,
      nextToken: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 65_536,
          description: 'A second one that webhooks and hmac nodes accept, too, while senders change over to it',
        }),
      ),
    },
    CLOSED,
  ),
  header: Type.Object({ name: HeaderName, value: Text }, CLOSED),
  model: Type.Object(
    {
      provider: oneOf(MODEL_PROVIDER_NAMES, {
        description: 'Whose API it is; openaiCompatible is any server with the chat completions of OpenAI',
      }),
      apiKey: Type.Optional({ ...Text, description: 'Required unless the provider is openaiCompatible' }),
      baseUrl: Type.Optional(
        Type.String({
          pattern: '^https?://[^\\s?#@]+$',
          maxLength: 2_000,
          description:
            "The address before /chat/completions, or a proxy of the provider's; required by openaiCompatible",
        }),
      ),
    },
    CLOSED,
  ),
  oauth2: OAuth2Secret,
  postgres: Type.Object({ connectionString: Type.String({ pattern: '^postgres(ql)?://', maxLength: 10_000 }) }, CLOSED),
  s3: Type.Object(
    {
      accessKeyId: Type.String({ pattern: '^[!-~]{1,200}$' }),
      secretAccessKey: Type.String({ minLength: 1, maxLength: 1_000 }),
      region: Type.Optional(
        Type.String({ pattern: '^[a-z0-9-]{1,60}$', default: 'us-east-1', description: 'That of the bucket' }),
      ),
      endpoint: Type.Optional(
        Type.String({
          pattern: '^https?://[^\\s?#@]+$',
          maxLength: 500,
          description: 'The address of a store other than that of Amazon',
        }),
      ),
      pathStyle: Type.Optional(
        Type.Boolean({
          description:
            'Whether the bucket is in the path of requests, and not in the host: the default with an endpoint',
        }),
      ),
      bucket: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$',
          description: 'The bucket of nodes that name none',
        }),
      ),
    },
    CLOSED,
  ),
  sftp: Type.Object(
    {
      host: Type.String({ minLength: 1, maxLength: 253 }),
      port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, default: 22 })),
      username: Type.String({ minLength: 1, maxLength: 1_000 }),
      password: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
      privateKey: Type.Optional(
        Type.String({
          pattern: '^\\s*-----BEGIN [A-Z ]+-----',
          maxLength: 8_192,
          description: 'A private key as `ssh-keygen` makes it, instead of a password or beside it',
        }),
      ),
      passphrase: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1_000, description: 'The passphrase of the private key' }),
      ),
      fingerprint: Type.String({
        pattern: '^SHA256:[A-Za-z0-9+/]{43}=?$',
        description:
          'The fingerprint of the key of the server, such as `SHA256:…`, as `ssh-keyscan host | ssh-keygen -lf -` shows it',
      }),
    },
    CLOSED,
  ),
  smtp: Type.Object(
    {
      host: Type.String({ minLength: 1, maxLength: 253 }),
      port: Type.Integer({ minimum: 1, maximum: 65_535 }),
      username: Type.Optional(Type.String({ maxLength: 1_000 })),
      password: Type.Optional(Type.String({ maxLength: 65_536 })),
      secure: Type.Optional(Type.Boolean()),
    },
    CLOSED,
  ),
};

/** Types of credentials. */
export const CREDENTIAL_TYPES = [
  'apiKey',
  'basic',
  'bearer',
  'header',
  'model',
  'oauth2',
  'postgres',
  's3',
  'sftp',
  'smtp',
] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

/** The placeholder for a stored secret; sent back, it keeps the secret. */
export const SECRET_PLACEHOLDER = '********';
