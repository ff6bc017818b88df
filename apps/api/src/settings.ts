import { OutputSettings } from '@deckhand/outputs';
import { DatabaseSettings, EncryptionSettings, MetricsSettings, TracingSettings } from '@deckhand/runtime';
import Type, { type Static } from 'typebox';

/** The environment of the API. */
export const ApiSettings = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 3000 }),
  ...DatabaseSettings,
  REDIS_URL: Type.String({ pattern: '^rediss?(\\+sentinel|\\+cluster)?://' }),
  /** Where people reach the service; http://localhost:PORT when it is not set. */
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** What URLs of webhooks begin with; PUBLIC_URL when it is not set. */
  WEBHOOK_BASE_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  /**
   * Whether webhooks are served from the host name of WEBHOOK_BASE_URL alone, and nothing else is. Pages that a
   * workflow answers then have another origin than the console.
   */
  SEPARATE_WEBHOOK_HOST: Type.Boolean({ default: false }),
  ...EncryptionSettings,
  /** Proxies that are believed about the caller's address, as `readTrustedProxies` reads them; none by default. */
  TRUSTED_PROXIES: Type.Optional(Type.String()),
  /** Origins whose pages may call the API, as `readAllowedOrigins` reads them; none by default. */
  API_ALLOWED_ORIGINS: Type.Optional(Type.String()),
  /** What creating the first owner needs; derived from ENCRYPTION_KEY when it is not set. */
  SETUP_TOKEN: Type.Optional(Type.String({ minLength: 16 })),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { default: 'info' }),
  /** The largest body that a webhook takes. */
  WEBHOOK_MAX_BYTES: Type.Integer({ minimum: 1, maximum: 104_857_600, default: 10_485_760 }),
  ...OutputSettings,
  ...MetricsSettings,
  ...TracingSettings,
  /** Connections to PostgreSQL at most. */
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 2, maximum: 500, default: 20 }),
});

export type ApiSettings = Static<typeof ApiSettings>;

/** Where people reach the service, without a slash at the end. */
export function publicUrl(settings: ApiSettings): string {
  return withoutSlash(settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`);
}

/** What webhooks' URLs begin with, without a slash at the end. */
export function webhookBaseUrl(settings: ApiSettings): string {
  return withoutSlash(settings.WEBHOOK_BASE_URL ?? publicUrl(settings));
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
