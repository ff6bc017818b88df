import { randomUUID } from 'node:crypto';
import { applyMigrations, createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  chain,
  createTestDatabase,
  createWorkflow,
  type Instance,
  startInstance,
  startTestRedis,
  startTestWorker,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

const role = `runtime_${randomUUID().replaceAll('-', '')}`;
let instance: Instance;
let owner: Database;
let runtime: pg.Client;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  owner = createDatabase({ url, poolSize: 2 });
  const password = randomUUID();
  await owner.$executeRawUnsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  // Twice: each upgrade does it again.
  for (let time = 0; time < 2; time += 1) await applyMigrations({ databaseUrl: url, runtimeRole: role });
  const runtimeUrl = new URL(url);
  Object.assign(runtimeUrl, { username: role, password });
  const db = createDatabase({ url: runtimeUrl.href, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  instance = await startInstance({ databaseUrl: runtimeUrl.href, db, redis: await startTestRedis() });
  runtime = new pg.Client({ connectionString: runtimeUrl.href });
  await runtime.connect();
});
afterAll(async () => {
  await runtime.end();
  await stopAll();
  await owner.$disconnect();
});

/** Returns the SQLSTATE with which PostgreSQL refuses a statement; undefined if it runs. */
const refusalOf = (statement: string): Promise<unknown> =>
  runtime.query(statement).then(
    () => undefined,
    (error: unknown) => (error instanceof pg.DatabaseError ? error.code : error),
  );

describe('the apps with a role of their own', () => {
  it('serve requests and run workflows', async () => {
    await startTestWorker(instance);
    const workflowId = await createWorkflow(
      instance,
      chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } }),
    );
    const as = instance.key;
    const { status, body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, { as });
    expect(status).toBe(202);
    const read = () => instance.gateway.call('GET', `/api/executions/${body.executionId}`, { as });
    await until(async () => (await read()).body.status === 'success', 'the end');
    expect((await instance.gateway.call('DELETE', `/api/workflows/${workflowId}`, { as })).status).toBe(204);
    expect((await instance.gateway.call('GET', '/readyz')).status).toBe(200);
  });

  it.each([
    'CREATE TABLE things (id int)',
    'ALTER TABLE executions ADD COLUMN extra int',
    'DROP TABLE executions',
    'TRUNCATE executions',
    'DROP TRIGGER audit_log_append_only ON audit_log',
    'ALTER TABLE audit_log DISABLE TRIGGER ALL',
    "UPDATE audit_log SET action = 'nothing'",
    'DELETE FROM audit_log',
    'DELETE FROM _prisma_migrations',
    'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  ])('may not: %s', async (statement) => {
    expect([statement, await refusalOf(statement)]).toEqual([statement, '42501']);
  });

  it('may add to the audit log and read it', async () => {
    expect(await refusalOf('SELECT * FROM audit_log')).toBeUndefined();
    expect((await runtime.query('SELECT FROM audit_log')).rowCount).toBeGreaterThan(0);
  });
});
