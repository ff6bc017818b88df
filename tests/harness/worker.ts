import { createDatabase } from '@deckhand/db';
import {
  createHttpClient,
  createMailSender,
  createPostgresClient,
  createSchemaChecker,
  createFileProcesses,
  createScriptRunner,
  createSftpClient,
  loadNodeTypes,
} from '@deckhand/nodes';
import {
  ArchiveSettings,
  FileSettings,
  openArchive,
  openFileStore,
  openOutputStore,
  OutputSettings,
} from '@deckhand/outputs';
import { createLogger, createSecretBox, readSettings, createMemoryBudget, type MemoryBudget } from '@deckhand/runtime';
import { startWorker, type WorkerOptions } from '@deckhand/worker';
import { Registry } from 'prom-client';
import Type from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { stopLater } from './cleanup.ts';
import { TEST_ENCRYPTION_KEY, type Stores } from './gateway.ts';
import { parseMetrics } from './metrics.ts';
import { databaseSettings } from './pooler.ts';

/** More than tests need that are about something else. */
const TEST_MEMORY_BYTES = 1_073_741_824;

/** The services of a worker's nodes. */
export type WorkerServices = WorkerOptions['services'];

export interface TestWorkerOptions {
  readonly watch?: ((services: WorkerServices) => WorkerServices) | undefined;
  readonly outputSettings?: Readonly<Record<string, string>> | undefined;
  readonly concurrency?: number | undefined;
  /** What data of runs counts against. */
  readonly memory?: MemoryBudget | undefined;
  /** URLs of the Redis servers of the queue's shards, and the shard whose jobs it takes. */
  readonly shardUrls?: readonly string[] | undefined;
  readonly shard?: number | undefined;
  /** Whether recovery may have to save runs, because the test loses jobs, workers or stores. */
  readonly mayRecover?: boolean | undefined;
  /** How long a run may be unclaimed before its job is looked up in the queue, in ms. */
  readonly unclaimedAfterMs?: number | undefined;
  /** Told of each line that it logs. */
  readonly onLog?: ((line: string) => void) | undefined;
  /** Where API keys that are saved as credentials are sent. */
  readonly publicUrl?: string | undefined;
}

/**
 * A run that is unclaimed for so long, in ms, was lost. Between its row and its job a busy machine may let more time
 * pass than the product gives a run.
 */
const PATIENCE_MS = 20_000;

/** Returns how many runs recovery had to save by their causes, according to the metrics of a worker. */
export async function recoveredRuns(registry: Registry): Promise<Readonly<Record<string, number>>> {
  const samples = parseMetrics(await registry.metrics());
  const counts = samples.filter(({ name, value }) => name === 'deckhand_recovered_runs_total' && value > 0);
  return Object.fromEntries(counts.map(({ labels: { cause = '' }, value }) => [cause, value]));
}

/**
 * Starts a worker in this process, for tests that do not kill it. `stop` drains it; `stopAll` does so too. Both fail if
 * recovery had to save a run, unless the test expects that.
 */
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
    mayRecover = false,
    unclaimedAfterMs = mayRecover ? undefined : PATIENCE_MS,
    onLog,
  }: TestWorkerOptions = {},
): Promise<{ stop(): Promise<void>; readonly registry: Registry }> {
  const { DATABASE_URL: url, DATABASE_PREPARED_STATEMENTS } = databaseSettings(stores.databaseUrl);
  const db = createDatabase({ url, poolSize: 6, preparesStatements: DATABASE_PREPARED_STATEMENTS !== 'false' });
  const settings = readSettings(
    Type.Object({ ...OutputSettings, ...FileSettings, ...ArchiveSettings }),
    outputSettings,
  );
  const outputs = await openOutputStore(settings, db);
  const files = await openFileStore(settings, db, memory);
  const archive = await openArchive(settings);
  const code = createScriptRunner();
  const schemas = createSchemaChecker();
  const postgres = createPostgresClient({ allowPrivate: true, memory });
  const registry = new Registry();
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
      fileProcesses: createFileProcesses(2),
      http: createHttpClient({ allowPrivate: true, memory }),
      mail: createMailSender({ allowPrivate: true }),
      postgres,
      sftp: createSftpClient({ allowPrivate: true }),
    }),
    schemas,
    outputs,
    files,
    archive,
    secretBox: createSecretBox(TEST_ENCRYPTION_KEY),
    publicUrl,
    memory,
    concurrency,
    graceMs: 500,
    unclaimedAfterMs,
    logger: createLogger(
      onLog ? { name: 'worker', level: 'info', destination: { write: onLog } } : { name: 'worker', level: 'silent' },
    ),
    registry,
  });
  let isStopped = false;
  return stopLater({
    registry,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      await worker.drain();
      await Promise.all([code.close(), schemas.close()]);
      await postgres.close();
      outputs.close();
      files.close();
      archive?.close();
      await db.$disconnect();
      const recovered = await recoveredRuns(registry);
      if (!mayRecover && Object.keys(recovered).length > 0)
        throw new Error(`recovery had to save runs of this test: ${JSON.stringify(recovered)}`);
    },
  });
}
