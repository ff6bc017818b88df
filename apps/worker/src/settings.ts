import { hostname } from 'node:os';
import { ArchiveSettings, FileSettings, OutputSettings } from '@deckhand/outputs';
import {
  DatabaseSettings,
  EncryptionSettings,
  MetricsSettings,
  OutboundSettings,
  TracingSettings,
} from '@deckhand/runtime';
import Type, { type Static } from 'typebox';

/** The settings of a worker, which it reads from its environment. */
export const WorkerSettings = Type.Object({
  ...DatabaseSettings,
  REDIS_URL: Type.String({ minLength: 1 }),
  /** The same keys as the API's: they open the credentials of nodes. */
  ...EncryptionSettings,
  /** The same as the API's: API keys that are saved as credentials are sent there only. */
  PUBLIC_URL: Type.Optional(Type.String({ pattern: '^https?://' })),
  /** Maximum number of runs that the worker holds at once. */
  WORKER_CONCURRENCY: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  /** How long nodes in flight may continue after SIGTERM, in ms. */
  WORKER_GRACE_MS: Type.Integer({ minimum: 0, maximum: 600_000, default: 20_000 }),
  /**
   * How long one run may block the event loop of a worker, in ms. After that the run fails, and the process exits to be
   * restarted.
   */
  WORKER_MAX_BLOCKED_MS: Type.Integer({ minimum: 5_000, maximum: 86_400_000, default: 30_000 }),
  /** Memory budget for outputs and for data that nodes read, in bytes of JSON. */
  WORKER_DATA_BYTES: Type.Integer({ minimum: 33_554_432, maximum: 17_179_869_184, default: 268_435_456 }),
  /** How many processes read files of others at the same time. Each takes up to 512 MiB beside the worker. */
  FILE_PROCESSES: Type.Integer({ minimum: 1, maximum: 64, default: 2 }),
  /** Maximum number of connections to PostgreSQL; claims, checkpoints, maintenance and loads share them. */
  WORKER_DATABASE_POOL_SIZE: Type.Integer({ minimum: 2, maximum: 500, default: 10 }),
  ...OutputSettings,
  ...FileSettings,
  ...ArchiveSettings,
  ...MetricsSettings,
  ...TracingSettings,
  LOG_LEVEL: Type.String({ default: 'info' }),
  ...OutboundSettings,
  HOSTNAME: Type.String({ default: hostname() }),
});

export type WorkerSettings = Static<typeof WorkerSettings>;
