import { createHmac } from 'node:crypto';
import type { SessionLimits } from '@deckhand/db';
import { FileSettings, OutputSettings } from '@deckhand/outputs';
import {
  DatabaseSettings,
  EncryptionSettings,
  MetricsSettings,
  OutboundSettings,
  readSettings,
  SettingsError,
  TracingSettings,
} from '@deckhand/runtime';
import Type, { type Static } from 'typebox';
import { MailEnvironment } from './auth/mail-settings.ts';
import { SecondFactorSettings } from './auth/second-factor-settings.ts';
import { SignOnSettings } from './auth/sign-on-settings.ts';

/** The environment of the API. */
export const ApiSettings = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 3000 }),
  ...DatabaseSettings,
  REDIS_URL: Type.String({ pattern: '^rediss?(\\+sentinel|\\+cluster)?://' }),
  /** Address of the service for people. Default: http://localhost:PORT. */
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** Start of the URLs of webhooks. Default: PUBLIC_URL. */
  WEBHOOK_BASE_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  /**
   * Whether the host name of WEBHOOK_BASE_URL serves webhooks and nothing else, and no other host serves them. Pages
   * that a workflow returns then have another origin than the console.
   */
  SEPARATE_WEBHOOK_HOST: Type.Boolean({ default: false }),
  ...EncryptionSettings,
  /** Proxies that are trusted to tell the caller's address (`readTrustedProxies`). Default: none. */
  TRUSTED_PROXIES: Type.Optional(Type.String()),
  /** Origins whose pages may call the API (`readAllowedOrigins`). Default: none. */
  API_ALLOWED_ORIGINS: Type.Optional(Type.String()),
  /** Token needed to create the first owner. Default: derived from ENCRYPTION_KEY. */
  SETUP_TOKEN: Type.Optional(Type.String({ minLength: 16 })),
  /** bcrypt's cost of passwords: one more doubles the time of a sign-in. Only with NODE_ENV=test less than 10. */
  BCRYPT_ROUNDS: Type.Integer({ minimum: 4, maximum: 16, default: 12 }),
  /** How long a session lasts at most, in hours. */
  SESSION_MAX_HOURS: Type.Integer({ minimum: 1, maximum: 8_760, default: 720 }),
  /** How long a session lasts without a request, in minutes. Default: as long as it lasts at most. */
  SESSION_IDLE_MINUTES: Type.Optional(Type.Integer({ minimum: 5, maximum: 525_600 })),
  ...SignOnSettings,
  ...SecondFactorSettings,
  ...MailEnvironment,
  NODE_ENV: Type.Optional(Type.String()),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { default: 'info' }),
  /** Maximum size of a webhook's body, in bytes. */
  WEBHOOK_MAX_BYTES: Type.Integer({ minimum: 1, maximum: 104_857_600, default: 10_485_760 }),
  /** The same for a body whose files are stored, in bytes. A lower one than WEBHOOK_MAX_BYTES has no effect. */
  WEBHOOK_MAX_FILE_BYTES: Type.Integer({ minimum: 1, maximum: 68_719_476_736, default: 10_485_760 }),
  ...OutputSettings,
  ...FileSettings,
  /** For requests to the providers of OAuth 2.0 credentials. */
  ...OutboundSettings,
  ...MetricsSettings,
  ...TracingSettings,
  /** Maximum number of connections to PostgreSQL. */
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 2, maximum: 500, default: 20 }),
  /** A replica that lists, searches, exports and statistics of runs are read from. Default: none. */
  DATABASE_REPLICA_URL: Type.Optional(DatabaseSettings.DATABASE_URL),
  /** How old the replica's data may be, in ms. While it may be older, the primary is read. */
  DATABASE_REPLICA_MAX_LAG_MS: Type.Integer({ minimum: 2_000, maximum: 3_600_000, default: 5_000 }),
});

export type ApiSettings = Static<typeof ApiSettings>;

/** Minimum of BCRYPT_ROUNDS outside of tests. */
const MIN_BCRYPT_ROUNDS = 10;

/** Reads the settings of the API. @throws SettingsError listing what is invalid. */
export function readApiSettings(env?: NodeJS.ProcessEnv): Readonly<ApiSettings> {
  const settings = readSettings(ApiSettings, env);
  if (settings.BCRYPT_ROUNDS < MIN_BCRYPT_ROUNDS && settings.NODE_ENV !== 'test') {
    throw new SettingsError(`Bad settings: BCRYPT_ROUNDS must be >= ${MIN_BCRYPT_ROUNDS}`);
  }
  return settings;
}

/** Returns the address of the service for people, without a slash at the end. */
export function publicUrl(settings: ApiSettings): string {
  return withoutSlash(settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`);
}

/** Returns the start of the URLs of webhooks, without a slash at the end. */
export function webhookBaseUrl(settings: ApiSettings): string {
  return withoutSlash(settings.WEBHOOK_BASE_URL ?? publicUrl(settings));
}

/** Returns how long sessions last. */
export function sessionLimits({ SESSION_MAX_HOURS, SESSION_IDLE_MINUTES }: ApiSettings): SessionLimits {
  const lifetimeMs = SESSION_MAX_HOURS * 3_600_000;
  return { lifetimeMs, idleMs: SESSION_IDLE_MINUTES === undefined ? lifetimeMs : SESSION_IDLE_MINUTES * 60_000 };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/**
 * Returns the token that is needed to create the first owner. If none is set, it is derived from the encryption key, so
 * that all replicas have the same without storing it. The key cannot be derived from the token.
 */
export function setupToken(settings: { SETUP_TOKEN?: string; ENCRYPTION_KEY: string }): string {
  const { SETUP_TOKEN: chosen, ENCRYPTION_KEY: key } = settings;
  return chosen ?? createHmac('sha256', key).update('deckhand setup token').digest('base64url');
}
