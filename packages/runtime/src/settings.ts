import { envSchema } from 'env-schema';
import Type, { type Static, type TObject } from 'typebox';

/** Invalid settings. The message names every missing or invalid one, on one line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads settings from the environment, by a JSON Schema whose members are names of variables. Text is coerced to the
 * types of the schema, defaults are filled in, and the result is frozen.
 * @throws SettingsError listing every invalid setting.
 */
export function readSettings<S extends TObject>(schema: S, env: NodeJS.ProcessEnv = process.env): Readonly<Static<S>> {
  // Compose files and shells leave empty variables behind, so these count as not set.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  try {
    const settings = envSchema<Static<S>>({ schema, data: given, env: false, dotenv: false });
    return Object.freeze(settings);
  } catch (error) {
    throw new SettingsError(`Bad settings: ${describe(error)}`);
  }
}

function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('errors' in error) || !Array.isArray(error.errors)) {
    return String(error);
  }
  const issues: readonly { instancePath: string; message?: string }[] = error.errors;
  return issues.map((issue) => `${issue.instancePath.slice(1)} ${issue.message ?? 'is not valid'}`.trim()).join('; ');
}

/** Settings of the connection to PostgreSQL, which all processes share. */
export const DatabaseSettings = {
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://' }),
  /**
   * Must be false behind a pooler that does not support prepared statements, such as PgBouncer before 1.21.
   */
  DATABASE_PREPARED_STATEMENTS: Type.Boolean({ default: true }),
};

export type DatabaseSettings = Static<ReturnType<typeof Type.Object<typeof DatabaseSettings>>>;

/** Settings of requests to servers outside, which people choose. */
export const OutboundSettings = {
  /** Whether private addresses may be reached. */
  HTTP_NODE_ALLOW_PRIVATE: Type.Boolean({ default: false }),
  /** Proxies of these requests, with the usual names and meanings of these variables. */
  HTTP_PROXY: Type.Optional(Type.String()),
  HTTPS_PROXY: Type.Optional(Type.String()),
  NO_PROXY: Type.Optional(Type.String()),
  /** True if the proxy gets host names and resolves them; otherwise it gets the addresses that were checked here. */
  HTTP_PROXY_RESOLVES: Type.Boolean({ default: false }),
};

export type OutboundSettings = Static<ReturnType<typeof Type.Object<typeof OutboundSettings>>>;

/** Settings of metrics, for every process that serves some. */
export const MetricsSettings = {
  /** The address that the process's ports listen on, such as 127.0.0.1. Default: every address of the machine. */
  LISTEN_ADDRESS: Type.Optional(Type.String({ minLength: 1 })),
  /** A separate port for /metrics, /healthz and /readyz; 0 chooses a free one. */
  METRICS_PORT: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  /** The bearer token that scrapers send, wherever metrics are served. */
  METRICS_TOKEN: Type.Optional(Type.String({ minLength: 16 })),
};

/** Settings of traces, with OpenTelemetry's own names. */
export const TracingSettings = {
  /** The URL that traces are sent to, such as http://collector:4318; without it, none are sent. */
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** Headers of these requests, as name=value, separated by commas. */
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(Type.String({ pattern: '^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$' })),
  /** The share of traces that is sent, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: Type.Number({ minimum: 0, maximum: 1, default: 1 }),
};
