import { hostname } from 'node:os';
import { OutputSettings } from '@deckhand/outputs';
import { DatabaseSettings, EncryptionSettings, MetricsSettings, TracingSettings } from '@deckhand/runtime';
import Type, { type Static } from 'typebox';

/** The environment of a worker. */
export const WorkerSettings = Type.Object({
  ...DatabaseSettings,
  REDIS_URL: Type.String({ minLength: 1 }),
  /** The API's: opens the credentials of nodes. */
  ...EncryptionSettings,
  /** The API's: the one place where API keys that are saved as credentials are sent. */
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** Runs held at once. */
  WORKER_CONCURRENCY: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  /** How long nodes in flight may go on after SIGTERM, in ms. */
  WORKER_GRACE_MS: Type.Integer({ minimum: 0, maximum: 600_000, default: 20_000 }),
  /**
   * How long one run may keep a worker from running anything else, in ms: the run then fails, and the worker starts
   * anew.
   */
  WORKER_MAX_BLOCKED_MS: Type.Integer({ minimum: 5_000, maximum: 86_400_000, default: 30_000 }),
  /** Bytes of outputs and of what nodes read that a worker holds at a time, as JSON. */
  WORKER_DATA_BYTES: Type.Integer({ minimum: 33_554_432, maximum: 17_179_869_184, default: 268_435_456 }),
  /** Connections to PostgreSQL at most: claims, checkpoints, maintenance and loads side by side. */
  WORKER_DATABASE_POOL_SIZE: Type.Integer({ minimum: 2, maximum: 500, default: 10 }),
  ...OutputSettings,
  ...MetricsSettings,
  ...TracingSettings,
  LOG_LEVEL: Type.String({ default: 'info' }),
  HTTP_NODE_ALLOW_PRIVATE: Type.Boolean({ default: false }),
  /** What http nodes go through, as other programs read these names. */
  HTTP_PROXY: Type.Optional(Type.String()),
  HTTPS_PROXY: Type.Optional(Type.String()),
  NO_PROXY: Type.Optional(Type.String()),
  /** Whether the proxy is given names rather than the addresses that were checked here. */
  HTTP_PROXY_RESOLVES: Type.Boolean({ default: false }),
  HOSTNAME: Type.String({ default: hostname() }),
});

export type WorkerSettings = Static<typeof WorkerSettings>;
