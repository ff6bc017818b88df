import { createDatabase, reportFaultyServer, reportMissingSessionLimits, SILENT_AFTER_MS } from '@deckhand/db';
import {
  createFileProcesses,
  createHttpClient,
  createMailSender,
  createPostgresClient,
  createSchemaChecker,
  createScriptRunner,
  createSftpClient,
  httpClientOptions,
  loadNodeTypes,
} from '@deckhand/nodes';
import { openArchive, openFileStore, openOutputStore } from '@deckhand/outputs';
import {
  collectAtRest,
  createLogger,
  createMemoryBudget,
  createProcessRegistry,
  onShutdown,
  openSecretBox,
  openTracing,
  readSettings,
  serveMetrics,
  SettingsError,
  VERSION,
} from '@deckhand/runtime';
import { v7 as uuidv7 } from 'uuid';
import { awaitSchema } from './await-schema.ts';
import { WorkerSettings } from './settings.ts';
import { startWorker } from './worker.ts';

async function main(): Promise<void> {
  const settings = readSettings(WorkerSettings);
  const logger = createLogger({ name: 'worker', level: settings.LOG_LEVEL });
  const db = createDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.WORKER_DATABASE_POOL_SIZE,
    silentAfterMs: SILENT_AFTER_MS,
    preparesStatements: settings.DATABASE_PREPARED_STATEMENTS,
    onConnectionError: (err) => logger.warn({ err: err.message }, 'lost a connection to PostgreSQL'),
  });
  const outputs = await openOutputStore(settings, db);
  const archive = await openArchive(settings);
  const code = createScriptRunner();
  const schemas = createSchemaChecker();
  const allowPrivate = settings.HTTP_NODE_ALLOW_PRIVATE;
  const memory = createMemoryBudget(settings.WORKER_DATA_BYTES);
  const files = await openFileStore(settings, db, memory);
  const postgres = createPostgresClient({ allowPrivate, memory });
  const registry = createProcessRegistry();
  const tracing = await openTracing(settings, { serviceName: 'deckhand-worker', logger });
  let isConsuming = (): boolean => false;
  let checkpointsWritten = (): number => 0;
  const rest = collectAtRest({ logger, workSoFar: () => checkpointsWritten() });
  const metrics = await serveMetrics(settings, { registry, logger, isReady: () => isConsuming() });
  await awaitSchema(settings.DATABASE_URL, logger);
  void reportMissingSessionLimits(db, logger);
  void reportFaultyServer(db, logger);
  const worker = await startWorker({
    id: uuidv7(),
    version: VERSION,
    db,
    redisUrl: settings.REDIS_URL,
    databaseUrl: settings.DATABASE_URL,
    maxBlockedMs: settings.WORKER_MAX_BLOCKED_MS,
    nodeTypes: await loadNodeTypes(),
    services: {
      code,
      fileProcesses: createFileProcesses(settings.FILE_PROCESSES),
      http: createHttpClient({ ...httpClientOptions(settings), memory }),
      mail: createMailSender({ allowPrivate }),
      postgres,
      sftp: createSftpClient({ allowPrivate }),
    },
    schemas,
    outputs,
    files,
    archive,
    secretBox: openSecretBox(settings),
    publicUrl: settings.PUBLIC_URL?.replace(/\/+$/, ''),
    memory,
    concurrency: settings.WORKER_CONCURRENCY,
    graceMs: settings.WORKER_GRACE_MS,
    // Drains the same way as the signal of a supervisor does.
    onDrainRequest: () => process.kill(process.pid, 'SIGTERM'),
    onEmpty: rest.becameIdle,
    logger,
    registry,
    tracing,
  });
  ({ isConsuming, checkpointsWritten } = worker);
  onShutdown({
    logger,
    graceMs: settings.WORKER_GRACE_MS + 10_000,
    survives: worker.survives,
    async close() {
      await worker.drain();
      await Promise.all([code.close(), schemas.close()]);
      await postgres.close();
      outputs.close();
      files.close();
      archive?.close();
      await db.$disconnect();
      await tracing?.close();
      await metrics?.close();
    },
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof SettingsError ? error.message : String(error)}\n`);
  process.exit(1);
});
