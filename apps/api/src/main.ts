import {
  createDatabase,
  describePending,
  findPendingMigrations,
  reportFaultyServer,
  reportMissingSessionLimits,
  SILENT_AFTER_MS,
} from '@deckhand/db';
import {
  collectAtRest,
  createLogger,
  createProcessRegistry,
  onShutdown,
  openTracing,
  serveMetrics,
  SettingsError,
} from '@deckhand/runtime';
import { announceSetup } from './announce-setup.ts';
import { createApp } from './app.ts';
import { closeServer } from './http/close-server.ts';
import { createHttpServer } from './http/create-server.ts';
import { reportLostKeys } from './report-lost-keys.ts';
import { createServices } from './services.ts';
import { publicUrl, readApiSettings } from './settings.ts';

/** Time limit of requests in progress when the process stops, in ms. */
const GRACE_MS = 10_000;

/** What asks for these does so all the time: no work. */
const PROBES = new Set(['/healthz', '/readyz']);

async function main(): Promise<void> {
  const settings = readApiSettings();
  const logger = createLogger({ name: 'api', level: settings.LOG_LEVEL });
  const open = (url: string) =>
    createDatabase({
      url,
      poolSize: settings.DATABASE_POOL_SIZE,
      silentAfterMs: SILENT_AFTER_MS,
      preparesStatements: settings.DATABASE_PREPARED_STATEMENTS,
      onConnectionError: (err) => logger.warn({ err: err.message }, 'lost a connection to PostgreSQL'),
    });
  const db = open(settings.DATABASE_URL);
  const replica = settings.DATABASE_REPLICA_URL === undefined ? undefined : open(settings.DATABASE_REPLICA_URL);
  const registry = createProcessRegistry();
  const tracing = await openTracing(settings, { serviceName: 'deckhand-api', logger });
  const services = await createServices({ settings, db, replica, logger, registry, tracing });
  const metrics = await serveMetrics(settings, { registry, logger, isReady: services.monitoring.isReady });
  const server = createHttpServer(createApp(services));
  let requests = 0;
  server.on('request', ({ url = '' }) => {
    if (!PROBES.has(url)) requests += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: settings.PORT, host: settings.LISTEN_ADDRESS }, resolve);
  });
  logger.info({ port: settings.PORT }, 'ready');
  void announceSetup(services, publicUrl(settings));
  void reportLostKeys({ ...services.resources, logger });
  void reportMissingSessionLimits(db, logger);
  void reportFaultyServer(db, logger);
  collectAtRest({ logger, workSoFar: () => requests });
  // The API starts anyway, and /readyz reports it: missing migrations may be applied at any moment.
  findPendingMigrations(settings.DATABASE_URL).then(
    (pending) => {
      if (pending.length > 0) logger.error(`not ready for requests yet: ${describePending(pending)}`);
    },
    (err: unknown) => logger.warn({ err }, 'failed to check for pending migrations'),
  );

  onShutdown({
    logger,
    graceMs: GRACE_MS,
    async close() {
      services.drain();
      await closeServer(server);
      await services.close();
      await tracing?.close();
      await metrics?.close();
      await Promise.all([db.$disconnect(), replica?.$disconnect()]);
    },
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof SettingsError ? error.message : String(error)}\n`);
  process.exit(1);
});
