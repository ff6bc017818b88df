import { createDatabase, type Database } from '@deckhand/db';
import type { LocalRedis } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createTestDatabase,
  NEVER_MS,
  runOps,
  runOpsOnTerminal,
  type Seed,
  seedWorkflow,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

let env: { DATABASE_URL: string; REDIS_URL: string };
let db: Database;
let redis: LocalRedis;

beforeAll(async () => {
  const database = await createTestDatabase();
  redis = await startTestRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

const SET = chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } });

async function acceptMany(seed: Seed, count: number): Promise<string[]> {
  const ids: string[] = [];
  // Some at a time: those that wait for a connection of a slow machine time out.
  while (ids.length < count) {
    const some = Math.min(50, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: some }, () => seed.accept()))));
  }
  return ids;
}

async function statuses({ workflowId }: Seed): Promise<Record<string, number>> {
  const rows = await db.execution.groupBy({ by: ['status'], where: { workflowId }, _count: true });
  return Object.fromEntries(rows.map(({ status, _count }) => [status, _count]));
}

async function changesIn({ workspaceId }: Seed): Promise<unknown[]> {
  return db.auditEntry.findMany({ where: { workspaceId }, select: { action: true, userId: true, details: true } });
}

describe('stopping runs', () => {
  it('stops those that fit and no others, after a look, and says so in the audit log', async () => {
    const [meant, other] = [await seedWorkflow(db, SET), await seedWorkflow(db, SET)];
    await acceptMany(meant, 3);
    await acceptMany(other, 2);
    const old = await meant.accept();
    await db.execution.update({ where: { id: old }, data: { createdAt: new Date(Date.now() - 7_200_000) } });
    const choice = ['stop', '--workspace', meant.workspaceId, '--older-than', '1h'];

    const look = await runOps([...choice, '--dry-run', '--json'], env);
    expect(JSON.parse(look.stdout)).toEqual({ found: 1, stopped: 0, examples: [old] });
    const unasked = await runOps(choice, env);
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unasked.stderr).toMatch(/--yes/);
    expect(await statuses(meant)).toEqual({ pending: 4 });

    const stop = await runOps([...choice, '--yes'], env);
    expect(stop).toMatchObject({ exitCode: 0, stdout: 'Stopped 1 runs.\n' });
    expect(await db.execution.findUniqueOrThrow({ where: { id: old } })).toMatchObject({ status: 'stopped' });
    expect(await statuses(meant)).toEqual({ pending: 3, stopped: 1 });
    expect(await statuses(other)).toEqual({ pending: 2 });
    expect(await changesIn(meant)).toEqual([
      { action: 'execution.stopMany', userId: null, details: expect.objectContaining({ by: 'operator', runs: 1 }) },
    ]);
    const again = await runOps([...choice, '--yes', '--json'], env);
    expect(JSON.parse(again.stdout)).toMatchObject({ found: 0, stopped: 0 });
  });

  it('covers more than one batch, including child runs', async () => {
    const [parents, children] = [await seedWorkflow(db, SET), await seedWorkflow(db, SET)];
    const ids = await acceptMany(parents, 1_200);
    const child = await children.accept();
    await db.execution.update({ where: { id: child }, data: { parentExecutionId: ids[0]!, parentNodeId: 'a' } });
    const { stdout, stderr } = await runOps(['stop', '--workflow', parents.workflowId, '--yes', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject({ found: 1_200, stopped: 1_201 });
    expect(stderr).toMatch(/stopping: \d+ of 120\d/);
    expect(await statuses(parents)).toEqual({ stopped: 1_200 });
    expect(await statuses(children)).toEqual({ stopped: 1 });
  });

  it('interrupts nodes in flight', async () => {
    const receiver = await startReceiver(() => NEVER_MS);
    const seed = await seedWorkflow(db, chain({ id: 'a', type: 'http', parameters: { url: `${receiver.url}/a` } }));
    const worker = await spawnApp('worker', env);
    const id = await seed.accept();
    await until(() => receiver.calls.length === 1, 'the call');
    const stop = await runOps(['stop', '--run', id, '--yes'], env);
    expect(stop.stdout).toBe('Stopped 1 runs.\n');
    await worker.stop();
    expect(await worker.ended).toBe('code 0');
    expect(receiver.calls).toHaveLength(1);
    expect(await statuses(seed)).toEqual({ stopped: 1 });
  });

  it.each([
    ['y', 0, { stopped: 1 }],
    ['n', 1, { pending: 1 }],
  ])(
    'asks a person, and does as it is told: %s',
    async (key, exitCode, left) => {
      const seed = await seedWorkflow(db, SET);
      const id = await seed.accept();
      const asked = await runOpsOnTerminal(['stop', '--run', id], env, key);
      expect(asked.stdout).toContain('Stop 1 runs');
      expect({ exitCode: asked.exitCode, left: await statuses(seed) }).toEqual({ exitCode, left });
    },
    30_000,
  );
});

describe('requeueing runs', () => {
  it('sends out what lost its job or its worker, leaves the rest alone, and a worker finishes it', async () => {
    const receiver = await startReceiver(() => 300);
    const call = { id: 'a', type: 'http', parameters: { url: `${receiver.url}/a` } };
    const [lost, held] = [await seedWorkflow(db, SET), await seedWorkflow(db, chain(call, { ...call, id: 'b' }))];
    const first = await spawnApp('worker', env);
    await held.accept();
    await until(() => receiver.calls.length === 1, 'the first call');
    await first.kill('SIGKILL');
    await redis.restart();
    await acceptMany(lost, 30);
    const choice = ['requeue', '--all'];
    const look = await until(async () => {
      const { stdout } = await runOps([...choice, '--dry-run', '--json'], env);
      const found: { lost: number; held: number; requeued: number } = JSON.parse(stdout);
      return found.lost >= 30 && found;
    });
    expect(look).toMatchObject({ held: 1, requeued: 0 });

    const narrow = await runOps(['requeue', '--workflow', lost.workflowId, '--yes', '--json'], env);
    expect(JSON.parse(narrow.stdout)).toMatchObject({ lost: 30, held: 0, requeued: 30 });
    const { dispatchSeq: dispatch } = await db.execution.findFirstOrThrow({ where: { workflowId: lost.workflowId } });
    expect(dispatch).toBe(2);
    const again = await runOps(['requeue', '--workflow', lost.workflowId, '--yes', '--json'], env);
    expect(JSON.parse(again.stdout)).toMatchObject({ lost: 0, requeued: 0 });
    expect(await changesIn(lost)).toEqual([
      { action: 'execution.requeueMany', userId: null, details: expect.objectContaining({ by: 'operator', runs: 30 }) },
    ]);

    const rest = await runOps(['requeue', '--workflow', held.workflowId, '--yes', '--json'], env);
    expect(JSON.parse(rest.stdout)).toMatchObject({ lost: 0, held: 1, requeued: 1, resting: 0 });
    const second = await spawnApp('worker', env);
    await until(async () => (await statuses(lost)).success === 30, 'the end of the lost');
    await until(async () => (await statuses(held)).success === 1, 'the end of the held');
    expect(receiver.calls.length).toBeLessThanOrEqual(3);
    await second.stop();
  });

  it('touches nothing of a worker that lives', async () => {
    const receiver = await startReceiver(() => 8_000);
    const seed = await seedWorkflow(db, chain({ id: 'a', type: 'http', parameters: { url: `${receiver.url}/a` } }));
    const worker = await spawnApp('worker', env);
    const id = await seed.accept();
    await until(() => receiver.calls.length === 1, 'the call');
    const { stdout } = await runOps(['requeue', '--run', id, '--yes', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject({ lost: 0, held: 0, requeued: 0 });
    await until(async () => (await statuses(seed)).success === 1, 'the end of the run');
    expect(receiver.calls).toHaveLength(1);
    await worker.stop();
  });
});

describe('draining a worker', () => {
  it('waits until it has left; what it held continues elsewhere, and the process ends with 0', async () => {
    const receiver = await startReceiver(() => 300);
    const nodes = ['a', 'b', 'c', 'd'].map((id) => ({
      id,
      type: 'http',
      parameters: { url: `${receiver.url}/${id}` },
    }));
    const seed = await seedWorkflow(db, chain(...nodes));
    const first = await spawnApp('worker', env);
    await seed.accept();
    await until(() => receiver.calls.length === 1, 'the first call');
    const second = await spawnApp('worker', env);
    const fleet: { workers: { id: string; pid: number; host: string }[] } = JSON.parse(
      (await runOps(['fleet', '--json'], env)).stdout,
    );
    const { id, host } = fleet.workers.find(({ pid }) => pid === first.pid)!;

    const drained = await runOps(['drain', `${host}:${first.pid}`, '--yes', '--json'], env);
    expect(drained.exitCode).toBe(0);
    expect(JSON.parse(drained.stdout)).toEqual({ workerId: id, state: 'gone' });
    expect(await first.ended).toBe('code 0');
    await until(async () => (await statuses(seed)).success === 1, 'the end of the run');
    expect(receiver.calls.map(({ path }) => path)).toEqual(['/a', '/b', '/c', '/d']);
    expect(second.isRunning()).toBe(true);
    await second.stop();
  });
});
