// Once before the integration and end-to-end tests: one PostgreSQL server, whose migrated database each test file
// clones. With TEST_POOLER=pgbouncer the API and workers reach it through PgBouncer (pooler.ts). Plain JavaScript over
// the built packages, since Jest does not compile what runs outside of tests.
import { ensurePgBouncer, startPgBouncer, startTemplateServer } from '@deckhand/local';

export default async function setUp() {
  // Whoever runs the tests again and again starts it once.
  if (process.env.TEST_POSTGRES_URL) return;
  globalThis.templateServer = await startTemplateServer();
  process.env.TEST_POSTGRES_URL = globalThis.templateServer.url;
  if (process.env.TEST_POOLER === 'pgbouncer') globalThis.pooler = await startPooler(globalThis.templateServer.url);
}

async function startPooler(serverUrl) {
  const found = await ensurePgBouncer();
  if (!found.path) throw new Error(found.missing);
  const maintenance = new URL(serverUrl);
  // Nobody may stay connected to the database that tests clone.
  maintenance.pathname = '/postgres';
  const pooler = await startPgBouncer({ path: found.path, serverUrl: maintenance.href });
  process.env.TEST_POOLER_PORT = new URL(pooler.through(serverUrl)).port;
  process.stdout.write(`The API and workers go through PgBouncer ${pooler.version} in transaction mode.\n`);
  return pooler;
}
