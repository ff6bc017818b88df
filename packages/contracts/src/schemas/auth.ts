import Type, { type Static } from 'typebox';
import { SCOPE_PATTERN, SCOPE_PRESETS, type ScopePreset } from '../scopes.ts';
import { CLOSED, GivenExpiry, Id, nullable, oneOf, Time } from './common.ts';
import { ROLES } from '../roles.ts';

/** An e-mail address to be kept. */
export const Email = Type.String({ format: 'email', maxLength: 254 });
/** A name for people to read. */
export const Name = Type.String({ minLength: 1, maxLength: 200 });

/** 10 to 72 bytes: bcrypt reads no further. Bytes are checked where it is hashed; a character has up to four. */
export const Password = Type.String({ minLength: 3, maxLength: 72, description: '10 to 72 bytes in UTF-8' });

/** A password to be compared: any length up to a bound, so that a wrong one is wrong, not invalid. */
const GivenPassword = Type.String({ maxLength: 1_000 });

export const SetupBody = Type.Object(
  {
    token: Type.String({ maxLength: 1_000, description: 'The setup token, which the log of the API shows' }),
    email: Email,
    password: Password,
    name: Name,
    workspaceName: Name,
  },
  CLOSED,
);
/** Answer of GET /api/auth/setup. */
export const SetupStateResponse = Type.Object({
  isOpen: Type.Boolean({ description: 'Whether the instance has no users yet' }),
});

export const LoginBody = Type.Object({ email: Type.String({ maxLength: 254 }), password: GivenPassword }, CLOSED);

export const ChangePasswordBody = Type.Object({ currentPassword: GivenPassword, newPassword: Password }, CLOSED);

export const UserSchema = Type.Object({ id: Id, email: Type.String(), name: Type.String(), isAdmin: Type.Boolean() });
export const LoginResponse = Type.Object({ token: Type.String(), expiresAt: Time, user: UserSchema });
export const MeResponse = Type.Object({
  user: UserSchema,
  workspaces: Type.Array(Type.Object({ workspaceId: Id, name: Type.String(), role: oneOf(ROLES) })),
});

const PRESET_NAMES = Object.keys(SCOPE_PRESETS) as [ScopePreset, ...ScopePreset[]];

export const CreateApiKeyBody = Type.Object(
  {
    name: Name,
    password: GivenPassword,
    saveAsCredential: Type.Optional(Type.Boolean({ default: true })),
    preset: Type.Optional(oneOf(PRESET_NAMES, { default: 'read-only' })),
    scopes: Type.Optional(Type.Array(Type.String({ pattern: SCOPE_PATTERN }), { maxItems: 50, uniqueItems: true })),
    expiresAt: Type.Optional(nullable(GivenExpiry)),
    workspaceId: Type.Optional(nullable(Id)),
    credentialWorkspaceId: Type.Optional(
      nullable(Id, {
        description:
          'The workspace of the credential: by default the one that the key is bound to, otherwise the first one where you may change credentials. In a workspace where you may not, none is saved',
      }),
    ),
  },
  CLOSED,
);

/** Body of POST /api/api-keys/{id}/rotate. */
export const RotateApiKeyBody = Type.Object(
  {
    password: GivenPassword,
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: 86_400,
        description: 'How long the replaced key stays valid, in seconds; a day by default',
      }),
    ),
    expiresAt: Type.Optional({
      ...nullable(GivenExpiry),
      description: 'By default that of the replaced key; a date alone means the end of that day in UTC',
    }),
  },
  CLOSED,
);

/** An API key as lists show it. */
export const ApiKeyEntry = Type.Object({
  id: Id,
  name: Type.String(),
  keyPrefix: Type.String(),
  access: Type.String(),
  scopes: Type.Array(Type.String()),
  createdAt: Time,
  lastUsedAt: nullable(Time),
  expiresAt: nullable(Time),
  state: oneOf(['Active', 'Revoked', 'Expired']),
  workspaceId: nullable(Id),
});

/** Answer of GET /api/me. */
export const WhoAmI = Type.Union([
  Type.Object({ apiKey: Type.Pick(ApiKeyEntry, ['id', 'name', 'scopes', 'workspaceId', 'expiresAt']) }),
  MeResponse,
]);

/** Answer of key creation: the only place that shows `key`. */
export const CreatedApiKey = Type.Object({
  id: Id,
  name: Type.String(),
  key: Type.String(),
  access: Type.String(),
  scopes: Type.Array(Type.String()),
  expiresAt: nullable(Time),
  createdAt: Time,
  state: oneOf(['Active']),
  workspaceId: nullable(Id),
  credentialId: nullable(Id),
});

/** Body of POST /api/auth/devices. */
export const StartDeviceBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'What the person reads: the name of the machine' }),
    codeChallenge: Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      description: 'SHA-256 of the proof, in base64url: S256 of RFC 7636',
    }),
  },
  CLOSED,
);
export const StartedDeviceResponse = Type.Object({
  id: Id,
  code: Type.String({ description: 'For the person to compare, such as BDWP-HQPK' }),
  expiresAt: Time,
  pollSeconds: Type.Integer({ description: 'How often to ask for the key, in seconds' }),
});
export const DeviceAuthorizationResponse = Type.Object({
  id: Id,
  code: Type.String(),
  name: Type.String(),
  address: Type.String({ description: 'Where the client called from' }),
  createdAt: Time,
  expiresAt: Time,
});
export const ApproveDeviceBody = Type.Object({ workspaceId: Id, password: GivenPassword }, CLOSED);
export const RedeemDeviceBody = Type.Object(
  { codeVerifier: Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$', description: 'The proof' }) },
  CLOSED,
);
export const PendingDeviceResponse = Type.Object({ state: oneOf(['pending']) });

export type DeviceAuthorizationResponse = Static<typeof DeviceAuthorizationResponse>;
export type ApproveDeviceBody = Static<typeof ApproveDeviceBody>;
export type SetupBody = Static<typeof SetupBody>;
export type SetupStateResponse = Static<typeof SetupStateResponse>;
export type LoginBody = Static<typeof LoginBody>;
export type ChangePasswordBody = Static<typeof ChangePasswordBody>;
export type User = Static<typeof UserSchema>;
export type LoginResponse = Static<typeof LoginResponse>;
export type MeResponse = Static<typeof MeResponse>;
export type CreateApiKeyBody = Static<typeof CreateApiKeyBody>;
export type ApiKeyEntry = Static<typeof ApiKeyEntry>;
export type CreatedApiKey = Static<typeof CreatedApiKey>;
