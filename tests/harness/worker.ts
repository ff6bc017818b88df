import { createDatabase } from '@deckhand/db';
import {
  createHttpClient,
  createMailSender,
  createPostgresClient,
  createScriptRunner,
  loadNodeTypes,
} from '@deckhand/nodes';
import type { NodeServices } from '@deckhand/engine';
import { openOutputStore, OutputSettings } from '@deckhand/outputs';
import { createLogger, createSecretBox, readSettings, createMemoryBudget, type MemoryBudget } from '@deckhand/runtime';
import { startWorker } from '@deckhand/worker';
import { Registry } from 'prom-client';
import Type from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { stopLater } from './cleanup.js';
import { TEST_ENCRYPTION_KEY, type Stores } from './gateway.js';
import { databaseSettings } from './pooler.js';

/** More than tests need that are about something else. */
const TEST_MEMORY_BYTES = 1_073_741_824;

/** The services of a worker's nodes. */
export type WorkerServices = Omit<NodeServices, 'workflows'>;

export interface TestWorkerOptions {
  readonly watch?: ((services: WorkerServices) => WorkerServices) | undefined;
  readonly outputSettings?: Readonly<Record<string, string>> | undefined;
  readonly concurrency?: number | undefined;
  /** What data of runs counts against. */
  readonly memory?: MemoryBudget | undefined;
  /** URLs of the Redis servers of the queue's shards, and the shard whose jobs it takes. */
  readonly shardUrls?: readonly string[] | undefined;
  readonly shard?: number | undefined;
  /** Where API keys that are saved as credentials are sent. */
  readonly publicUrl?: string | undefined;
}

/** Starts a worker in this process, for tests that do not kill it. `stop` drains it; `stopAll` does so too. */
export async function startTestWorker(
  stores: Stores,
  {
    watch = (services) => services,
    outputSettings = {},
    concurrency = 20,
    memory = createMemoryBudget(TEST_MEMORY_BYTES),
    publicUrl,
    shardUrls,
    shard,
  }: TestWorkerOptions = {},
): Promise<{ stop(): Promise<void> }> {
  const { DATABASE_URL: url, DATABASE_PREPARED_STATEMENTS } = databaseSettings(stores.databaseUrl);
  const db = createDatabase({ url, poolSize: 6, preparesStatements: DATABASE_PREPARED_STATEMENTS !== 'false' });
  const outputs = await openOutputStore(readSettings(Type.Object(OutputSettings), outputSettings), db);
  const code = createScriptRunner();
  const postgres = createPostgresClient({ allowPrivate: true, memory });
  const worker = await startWorker({
    id: uuidv7(),
    version: 'test',
    db,
    redisUrl: stores.redis.url,
    shardUrls,
    shard,
    databaseUrl: url,
    // A busy test blocks its own event loop now and then, and shares its process.
    maxBlockedMs: 600_000,
    nodeTypes: await loadNodeTypes(),
    services: watch({
      code,
      http: createHttpClient({ allowPrivate: true, memory }),
      mail: createMailSender({ allowPrivate: true }),
      postgres,
    }),
    outputs,
    secretBox: createSecretBox(TEST_ENCRYPTION_KEY),
    publicUrl,
    memory,
    concurrency,
    graceMs: 500,
    logger: createLogger({ name: 'worker', level: 'silent' }),
    registry: new Registry(),
  });
  let isStopped = false;
  return stopLater({
    async stop() {
      if (isStopped) return;
      isStopped = true;
      await worker.drain();
      await code.close();
      await postgres.close();
      outputs.close();
      await db.$disconnect();
    },
  });
}
