import { Prisma } from '@deckhand/db';
import { connectRedis, createLiveness, createRunQueue, type Redis, type RunQueue } from '@deckhand/queue';
import { createLogger } from '@deckhand/runtime';
import { createLostJobRecovery, createMaintenanceMetrics } from '@deckhand/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import {
  chain,
  type Seed,
  seedSchedule,
  seedWorkflow,
  startStores,
  startTestWorker,
  stopAll,
  stopLater,
  type Stores,
  until,
} from '../../harness/index.ts';

let stores: Stores;
let redis: Redis;
let queue: RunQueue;

beforeAll(async () => {
  stores = await startStores();
  redis = connectRedis(stores.redis.url, { role: 'producer' });
  await until(() => redis.status === 'ready');
  queue = createRunQueue(redis);
  stopLater({
    async stop() {
      await queue.close();
      redis.disconnect();
    },
  });
});
afterAll(stopAll);

const echo = chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } });
const read = (id: string) => stores.db.execution.findUniqueOrThrow({ where: { id } });

/** Inserts copies of a run that was accepted `seconds` ago. */
async function acceptMany(seed: Seed, count: number, seconds: number): Promise<string[]> {
  const id = await seed.accept();
  const rows = await stores.db.$queryRaw<{ id: string }[]>`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, source, trigger_node_id, trigger_data,
      created_at, dispatched_at, deadline_at)
    SELECT overlay(gen_random_uuid()::text PLACING left(first_id_of(now())::text, 13) FROM 1)::uuid, workspace_id, workflow_id, workflow_version_id, source, trigger_node_id, trigger_data,
      created_at, now() - ${seconds}::int * interval '1 second', deadline_at
    FROM executions, generate_series(1, ${count}) WHERE id = ${id}::uuid RETURNING id`;
  await stores.db.execution.delete({ where: { id } });
  return rows.map((row) => row.id);
}

describe('a lost job', () => {
  function startRecovery() {
    const metrics = createMaintenanceMetrics(new Registry(), { isLeaseHeld: () => true, clockOffsetMs: () => 0 });
    const logger = createLogger({ name: 'test', level: 'silent' });
    return createLostJobRecovery({ db: stores.db, queue, logger, metrics }, createLiveness(3_000));
  }

  it('is found behind thousands of runs of another workspace that wait in the queue', async () => {
    const [many, other] = [await seedWorkflow(stores.db, echo), await seedWorkflow(stores.db, echo)];
    const waiting = await acceptMany(many, 4_500, 60);
    await queue.add(waiting.map((executionId) => ({ workspaceId: many.workspaceId, executionId, dispatch: 1 })));
    const [lost = ''] = await acceptMany(other, 1, 30);
    const recovery = startRecovery();
    const passes: boolean[] = [];
    while (passes.length < 3) {
      await recovery.run(new AbortController().signal);
      passes.push((await read(lost)).dispatchSeq === 2);
    }
    expect(passes).toEqual([false, false, true]);
    expect(await stores.db.execution.count({ where: { id: { in: waiting }, dispatchSeq: { gt: 1 } } })).toBe(0);
    await stores.db.execution.deleteMany();
    await redis.flushall();
  });

  it('is found again after the last page, wherever it is', async () => {
    const seed = await seedWorkflow(stores.db, echo);
    const recovery = startRecovery();
    for (let round = 0; round < 2; round += 1) {
      const [lost = ''] = await acceptMany(seed, 1, 60);
      await recovery.run(new AbortController().signal);
      expect(await read(lost)).toMatchObject({ dispatchSeq: 2 });
    }
    await stores.db.execution.deleteMany();
    await redis.flushall();
  });
});

describe('with a worker', () => {
  let worker: { stop(): Promise<void> };

  beforeEach(async () => {
    worker = await startTestWorker(stores);
  });
  afterEach(async () => {
    await worker.stop();
    await stores.db.execution.deleteMany();
  });

  it('a run that a live worker took and has not claimed yet is not dispatched again', async () => {
    const script = 'const end = Date.now() + 6000; while (Date.now() < end); return { done: true };';
    const seed = await seedWorkflow(
      stores.db,
      chain({ id: 'slow', type: 'code', parameters: { source: script }, timeoutSeconds: 60 }),
    );
    const id = await seed.accept();
    await queue.add([{ workspaceId: seed.workspaceId, executionId: id, dispatch: 1 }]);
    await until(async () => (await read(id)).finishedAt, 'the end of the run');
    expect(await read(id)).toMatchObject({ error: null, status: 'success', dispatchSeq: 1, epoch: 1 });
  });

  /** Makes the database refuse every change of some rows, until the returned function is called. */
  async function refuse(table: string, operation: string, condition: string): Promise<() => Promise<void>> {
    await stores.db.$executeRaw`CREATE OR REPLACE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'a bad row' USING ERRCODE = '22000'; END $$`;
    await stores.db.$executeRaw(
      Prisma.raw(
        `CREATE TRIGGER refuse_row BEFORE ${operation} ON ${table} FOR EACH ROW WHEN (${condition})
         EXECUTE FUNCTION refuse_row()`,
      ),
    );
    // Dropping the trigger would lock the table, which can end in a deadlock with the worker.
    return async () => {
      await stores.db.$executeRaw`CREATE OR REPLACE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RETURN NEW; END $$`;
    };
  }

  it('one run that cannot be woken delays no other', async () => {
    const seed = await seedWorkflow(stores.db, echo);
    const ids = await acceptMany(seed, 40, 60);
    const [bad = '', ...good] = ids;
    const restore = await refuse('executions', 'UPDATE', `NEW.id = '${bad}' AND NEW.dispatch > OLD.dispatch`);
    try {
      await stores.db.$executeRaw`UPDATE executions SET status = 'running', claimed_dispatch = 1,
        wake_at = now() - CASE WHEN id = ${bad}::uuid THEN interval '1 hour' ELSE interval '1 second' END
        WHERE id = ANY (${ids}::uuid[])`;
      const done = () => stores.db.execution.count({ where: { id: { in: good }, status: 'success' } });
      await until(async () => (await done()) === good.length, 'the end of all other runs');
      expect(await read(bad)).toMatchObject({ status: 'running', dispatchSeq: 1 });
    } finally {
      await restore();
    }
  });

  it('one run that cannot be indexed delays no other', async () => {
    const seed = await seedWorkflow(stores.db, echo);
    const bad = await seed.accept({ word: 'first' });
    const restore = await refuse('execution_texts', 'INSERT', `NEW.execution_id = '${bad}'`);
    try {
      const good = await Promise.all(Array.from({ length: 20 }, () => seed.accept()));
      const ids = [bad, ...good];
      await queue.add(ids.map((executionId) => ({ workspaceId: seed.workspaceId, executionId, dispatch: 1 })));
      const indexed = async () => {
        const [row] = await stores.db.$queryRaw<{ count: number }[]>`
          SELECT count(*)::int AS count FROM execution_texts WHERE execution_id = ANY (${ids}::uuid[])`;
        return row?.count;
      };
      await until(async () => (await indexed()) === good.length, 'the texts of all other runs');
    } finally {
      await restore();
    }
  });

  it('one schedule that cannot be read delays no other', async () => {
    const clock = { now: Date.now() };
    const bad = await seedSchedule(stores, clock, { cron: '* * * * * *' });
    const good = await seedSchedule(stores, clock, { cron: '* * * * * *' });
    await stores.db.schedule.updateMany({
      where: { workflowId: bad.workflowId },
      data: { cron: 'nonsense', nextCheckAt: new Date(0) },
    });
    const before = await stores.db.execution.count({ where: { workflowId: good.workflowId } });
    const fired = () => stores.db.execution.count({ where: { workflowId: good.workflowId } });
    await until(async () => (await fired()) >= before + 2, 'two firings');
    const [held] = await stores.db.schedule.findMany({ where: { workflowId: bad.workflowId } });
    expect(held?.blockedBy).toBe('INTERNAL');
    await stores.db.schedule.deleteMany();
  });
});
