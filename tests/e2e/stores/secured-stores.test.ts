import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withExplicitSslMode } from '@deckhand/contracts';
import { createDatabase } from '@deckhand/db';
import { freePort, startProcess, waitReady } from '@deckhand/local';
import { connectRedis } from '@deckhand/queue';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { repositoryPath } from '../../harness/deployment/repository-file.ts';
import {
  type Certificate,
  createCertificate,
  startSecuredPostgres,
  startSecuredRedis,
} from '../../harness/secured-stores.ts';
import { chain, seedWorkflow, spawnApp, stopAll, stopLater, TEST_ENCRYPTION_KEY, until } from '../../harness/index.ts';

let certificate: Certificate;
let redisUrl: string;
let postgresUrl: string;

beforeAll(async () => {
  certificate = await createCertificate();
  redisUrl = await startSecuredRedis(certificate);
  postgresUrl = await startSecuredPostgres(certificate);
});
afterAll(stopAll);

/** Starts a worker and reads its readiness from itself: this process does not trust the Redis with the heartbeat. */
async function startWorker(env: Readonly<Record<string, string>>): Promise<void> {
  const port = await freePort();
  const worker = await startProcess({
    name: 'the worker',
    command: process.execPath,
    args: [repositoryPath('apps/worker/src/main.ts')],
    env: { ...env, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY, METRICS_PORT: String(port) },
    logPath: join(await mkdtemp(join(tmpdir(), 'deckhand-test-')), 'worker.log'),
  });
  stopLater(worker);
  await waitReady(worker, async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
}

describe('stores that speak TLS', () => {
  it('are refused while nothing says to trust their certificate', async () => {
    const redis = connectRedis(redisUrl, { role: 'producer' });
    const refusal = await new Promise<Error>((resolve) => redis.once('error', resolve));
    redis.disconnect();
    expect(refusal).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    for (const sslmode of ['require', 'verify-full']) {
      const client = new pg.Client({ connectionString: withExplicitSslMode(`${postgresUrl}?sslmode=${sslmode}`) });
      await expect(client.connect()).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
      await client.end();
    }
  });

  it.each([
    ['names its authority', () => `sslmode=verify-full&sslrootcert=${certificate.certificate}`],
    ['says not to check', () => 'sslmode=no-verify'],
  ])('are trusted where the URL %s', async (_, parameters) => {
    const client = new pg.Client({ connectionString: `${postgresUrl}?${parameters()}` });
    await client.connect();
    const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    await client.end();
    expect(rows).toEqual([{ ssl: true }]);
  });

  it('carry runs from the API to a worker and back', async () => {
    const env = {
      DATABASE_URL: `${postgresUrl}?sslmode=verify-full`,
      REDIS_URL: redisUrl,
      NODE_EXTRA_CA_CERTS: certificate.certificate,
    };
    const db = createDatabase({ url: postgresUrl, poolSize: 1 });
    stopLater({ stop: () => db.$disconnect() });
    const api = await spawnApp('api', { ...env, DATABASE_URL: `${postgresUrl}?sslmode=require` });
    await startWorker(env);
    const seed = await seedWorkflow(db, chain({ id: 'set', type: 'set', parameters: { fields: { a: 1 } } }));
    const id = await seed.accept();
    // Its job is missing, so maintenance dispatches it: over both stores.
    await until(async () => (await db.execution.findUniqueOrThrow({ where: { id } })).status === 'success');
    // PostgreSQL 18 lists a connection that is still negotiating TLS, as one that is starting.
    const plain = await db.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE NOT ssl AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        AND state IS DISTINCT FROM 'starting'`;
    expect(plain).toEqual([{ count: 0n }]);
    // pg warns of modes whose meaning it is going to change; none of them reaches it.
    expect(await readFile(api.logPath, 'utf8')).not.toMatch(/sslmode|SECURITY WARNING/);
  });
});
