import Type, { type Static } from 'typebox';
import type { Fault } from '../errors.js';
import { compileCheck } from '../validate.js';
import { AnyObject, CLOSED, Id, oneOf, Time } from './common.js';

const Text = Type.String({ minLength: 1, maxLength: 65_536 });
/** The name of an HTTP header (RFC 9110). */
const HeaderName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$" });

/** What a secret of each type holds. */
export const CREDENTIAL_SECRETS = {
  apiKey: Type.Object({ header: Type.Optional(HeaderName), value: Text }, CLOSED),
  basic: Type.Object(
    { username: Type.String({ maxLength: 1_000 }), password: Type.String({ maxLength: 65_536 }) },
    CLOSED,
  ),
  bearer: Type.Object({ token: Text }, CLOSED),
  header: Type.Object({ name: HeaderName, value: Text }, CLOSED),
  postgres: Type.Object({ connectionString: Type.String({ pattern: '^postgres(ql)?://', maxLength: 10_000 }) }, CLOSED),
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
export const CREDENTIAL_TYPES = ['apiKey', 'basic', 'bearer', 'header', 'postgres', 'smtp'] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

const Name = Type.String({ minLength: 1, maxLength: 200 });

/** The secret is checked by `secretFaults`, which knows the type. */
export const CreateCredentialBody = Type.Object(
  { workspaceId: Id, name: Name, type: oneOf(CREDENTIAL_TYPES), secret: AnyObject },
  CLOSED,
);
export const UpdateCredentialBody = Type.Object(
  { name: Type.Optional(Name), secret: Type.Optional(AnyObject) },
  { ...CLOSED, minProperties: 1 },
);

/** A credential as people see it: never its secret. */
export const CredentialEntry = Type.Object({
  id: Id,
  workspaceId: Id,
  name: Type.String(),
  type: oneOf(CREDENTIAL_TYPES),
  createdAt: Time,
  updatedAt: Time,
});

const CHECKS = {
  apiKey: compileCheck(CREDENTIAL_SECRETS.apiKey),
  basic: compileCheck(CREDENTIAL_SECRETS.basic),
  bearer: compileCheck(CREDENTIAL_SECRETS.bearer),
  header: compileCheck(CREDENTIAL_SECRETS.header),
  postgres: compileCheck(CREDENTIAL_SECRETS.postgres),
  smtp: compileCheck(CREDENTIAL_SECRETS.smtp),
};

/** Faults of a secret of a type, none when it is fit to be kept. They name fields, never what those hold. */
export function secretFaults(type: CredentialType, secret: unknown): readonly Fault[] {
  const result = CHECKS[type](secret);
  if (!('faults' in result)) return [];
  return result.faults.map(({ path, message }) => ({ path: path === '' ? 'secret' : `secret.${path}`, message }));
}

export type CreateCredentialBody = Static<typeof CreateCredentialBody>;
export type UpdateCredentialBody = Static<typeof UpdateCredentialBody>;
export type CredentialEntry = Static<typeof CredentialEntry>;
