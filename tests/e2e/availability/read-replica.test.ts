import { createDatabase } from '@deckhand/db';
import { findDebianPostgres } from '@deckhand/local';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  addPerson,
  chain,
  createWorkflow,
  describeUnless,
  type Instance,
  type PostgresPair,
  startInstance,
  startPostgresPair,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

const MAX_LAG_MS = 2_000;

const tools = await findDebianPostgres();
const missing = tools === undefined ? 'there is no pg_basebackup (Debian: postgresql-15)' : undefined;

let pair: PostgresPair;
let instance: Instance;
let workflowId: string;

beforeAll(async () => {
  if (tools === undefined) return;
  pair = await startPostgresPair(tools);
  const db = createDatabase({ url: pair.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  instance = await startInstance(
    { databaseUrl: pair.url, db, redis: await startTestRedis() },
    { env: { DATABASE_REPLICA_URL: pair.replicaUrl, DATABASE_REPLICA_MAX_LAG_MS: String(MAX_LAG_MS) } },
  );
  workflowId = await createWorkflow(instance, chain());
  await untilReplicaIsRead();
});
afterAll(stopAll);

const FRESH = { 'cache-control': 'max-age=0, no-cache' };

async function get(path: string, headers: Readonly<Record<string, string>> = {}, as = instance.session) {
  const { status, headers: sent, text } = await instance.gateway.call('GET', path, { as, headers });
  const age = sent.get('age');
  return { status, text, age: age === null ? undefined : Number(age) };
}

const inWorkspace = (path: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}workspaceId=${instance.workspaceId}`;
const list = (headers?: Readonly<Record<string, string>>) => get(inWorkspace('/api/executions'), headers);

async function start(): Promise<string> {
  const { status, body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, {
    as: instance.session,
    body: { input: { text: 'needle' } },
  });
  expect(status).toBe(202);
  return body.executionId;
}

const untilReplicaIsRead = () => until(async () => (await list()).age !== undefined, 'reads from the replica');

describeUnless(missing)('with a read replica', () => {
  it('lists, searches, exports and statistics are read from it, and say how old they may be', async () => {
    const id = await start();
    await until(async () => (await list()).text.includes(id));
    for (const path of [
      inWorkspace('/api/executions'),
      inWorkspace('/api/executions?search=needle&includeTotal=true'),
      `/api/workflows/${workflowId}/executions`,
      inWorkspace('/api/executions/export?format=json'),
      inWorkspace('/api/monitoring/stats'),
      inWorkspace('/api/monitoring/workflows'),
    ]) {
      // A replica that a busy machine keeps from following is left out until it has caught up.
      await until(async () => {
        const { reads, age } = await counting(() => get(path));
        return reads.primary === 0 && reads.replica > 0 && age !== undefined && age > 0;
      }, `reads of ${path} from the replica`);
      const fresh = await counting(() => get(path, FRESH));
      expect([path, fresh.age, fresh.reads.replica, fresh.status]).toEqual([path, undefined, 0, 200]);
    }
  });

  it('what decides is read from the primary: a run, its output, approvals, the last success, idempotency', async () => {
    const id = await start();
    for (const path of [
      `/api/executions/${id}`,
      inWorkspace('/api/approvals'),
      `/api/workflows/${workflowId}/executions?latest=true`,
    ]) {
      const { status, age, reads } = await counting(() => get(path));
      expect([path, status, age, reads.replica]).toEqual([path, 200, undefined, 0]);
    }
  });

  it('a replica that falls behind is read for no longer than the limit, and again once it has caught up', async () => {
    await untilReplicaIsRead();
    const member = await addPerson(instance, 'viewer');
    await until(async () => (await get(inWorkspace('/api/executions'), {}, member.session)).age !== undefined);
    pair.delayReplica();
    const id = await start();
    expect((await get(`/api/executions/${id}`)).status).toBe(200);
    const path = `/api/workspaces/${instance.workspaceId}/members/${member.userId}`;
    expect((await instance.gateway.call('DELETE', path, { as: instance.session })).status).toBe(204);

    // The replica still has the membership.
    expect((await get(inWorkspace('/api/executions'), {}, member.session)).status).toBe(403);
    expect((await list(FRESH)).text).toContain(id);
    await until(async () => {
      const { age, text } = await list();
      return age === undefined && text.includes(id);
    });
    expect((await metrics()).lagSeconds).toBeGreaterThan(MAX_LAG_MS / 1_000);

    await pair.resumeReplica();
    await until(async () => {
      const { age, text } = await list();
      return age !== undefined && text.includes(id);
    });
  });

  it('an idle primary does not make its replica look old', async () => {
    await untilReplicaIsRead();
    const beganAt = Date.now();
    await until(() => Date.now() - beganAt > 2 * MAX_LAG_MS);
    await untilReplicaIsRead();
  });

  it('a replica that is gone is not missed', async () => {
    await untilReplicaIsRead();
    await pair.killReplica();
    for (let request = 0; request < 5; request += 1) {
      expect((await list()).status).toBe(200);
      expect((await get(inWorkspace('/api/executions/export?format=csv'))).status).toBe(200);
    }
    expect((await list()).age).toBeUndefined();
    await until(() => instance.gateway.log.some((line) => line.includes('the replica is not available')));
  });
});

/** Counts the reads of runs of a request. */
async function counting<T>(request: () => Promise<T>): Promise<T & { reads: { primary: number; replica: number } }> {
  const before = { ...instance.gateway.services.monitoring.runReads.counts() };
  const result = await request();
  const after = instance.gateway.services.monitoring.runReads.counts();
  const reads = { primary: after.primary - before.primary, replica: after.replica - before.replica };
  return { ...result, reads };
}

async function metrics(): Promise<{ lagSeconds: number | undefined }> {
  const { text } = await instance.gateway.call('GET', '/metrics');
  const value = /^deckhand_replica_lag_seconds (.*)$/m.exec(text)?.[1];
  return { lagSeconds: value === undefined ? undefined : Number(value) };
}
