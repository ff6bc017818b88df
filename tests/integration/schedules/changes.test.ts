import { findDueSchedules, moveSchedules } from '@deckhand/db';
import { connectRedis, createRunQueue } from '@deckhand/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import {
  firedTimes,
  type Seed,
  seedSchedule,
  setStatus,
  startFiring,
  startStores,
  startTestWorker,
  stopAll,
  type Stores,
  type TestClock,
  UNCOUNTED,
  until,
} from '../../harness/index.ts';

let stores: Stores;
const clock: TestClock = { now: 0 };

beforeAll(async () => {
  stores = await startStores();
});
afterAll(stopAll);

const setClock = (time: string): void => {
  clock.now = Date.parse(time);
};

/** A workflow whose schedule is due at 09:00, and the current time there. */
async function seedDue(): Promise<Seed> {
  setClock('2026-05-04T08:00:00Z');
  const seed = await seedSchedule(stores, clock, { cron: '0 9 * * *' });
  setClock('2026-05-04T09:00:00Z');
  return seed;
}

/** Returns the move of a worker between its read and its write. */
async function findDueMove(seed: Seed) {
  const due = await findDueSchedules(stores.db, new Date(clock.now), 100);
  const schedule = due.find(({ workflowId }) => workflowId === seed.workflowId);
  if (!schedule) throw new Error('nothing is due');
  const request = {
    executionId: uuidv7(),
    workflowId: seed.workflowId,
    actor: null,
    versionId: schedule.workflowVersionId,
    triggerNodeId: 'clock',
    mode: 'normal',
    source: 'schedule',
    triggerData: JSON.stringify({ scheduledFor: schedule.nextFireAt }),
  } as const;
  return { schedule, nextFireAt: new Date('2026-05-05T09:00:00Z'), fireAt: schedule.nextFireAt, request };
}

/** Keeps the locks and uncommitted writes of a statement until `end`. */
async function begin(
  statement: string,
  workflowId: string,
): Promise<{ end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> }> {
  const client = new pg.Client({ connectionString: stores.databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  await client.query(statement, [workflowId]);
  return {
    async end(how) {
      await client.query(how);
      await client.end();
    },
  };
}

describe('a workflow that is deactivated', () => {
  it('fires nothing from then on, and continues from when it is activated again', async () => {
    const seed = await seedDue();
    await setStatus(stores, clock, seed, 'inactive');
    const firing = await startFiring(stores, { clock, isLeased: false });
    await firing.fire();
    setClock('2026-05-05T08:00:00Z');
    await setStatus(stores, clock, seed, 'active');
    setClock('2026-05-05T09:00:20Z');
    await firing.fire();
    expect(await firedTimes(stores, seed)).toEqual(['2026-05-05T09:00Z']);
  });

  it('fires nothing though it was found due before', async () => {
    const seed = await seedDue();
    const move = await findDueMove(seed);
    await setStatus(stores, clock, seed, 'inactive');
    expect(await moveSchedules(stores.db, [move], UNCOUNTED)).toEqual([{ kind: 'inactive' }]);
    expect(await firedTimes(stores, seed)).toEqual([]);
  });

  it.each([
    { how: 'COMMIT', name: 'is not waited for: while it is being written nothing fires, nor afterwards', fired: [] },
    { how: 'ROLLBACK', name: 'fires after all when that change comes to nothing', fired: ['2026-05-04T09:00Z'] },
  ] as const)('$name', async ({ how, fired }) => {
    const seed = await seedDue();
    const move = await findDueMove(seed);
    const change = await begin(
      'UPDATE schedules SET next_fire_at = NULL, look_at = NULL WHERE workflow_id = $1',
      seed.workflowId,
    );
    expect(await moveSchedules(stores.db, [move], UNCOUNTED)).toEqual([{ kind: 'elsewhere' }]);
    await change.end(how);
    expect(await moveSchedules(stores.db, [move], UNCOUNTED)).toEqual([
      { kind: fired.length > 0 ? 'moved' : 'elsewhere' },
    ]);
    expect(await firedTimes(stores, seed)).toEqual(fired);
    await setStatus(stores, clock, seed, 'inactive');
  });

  it('fires nothing once it is deleted', async () => {
    const seed = await seedDue();
    const move = await findDueMove(seed);
    await stores.db.workflow.delete({ where: { id: seed.workflowId } });
    expect(await moveSchedules(stores.db, [move], UNCOUNTED)).toEqual([{ kind: 'notFound' }]);
    expect(await firedTimes(stores, seed)).toEqual([]);
  });
});

describe('one time', () => {
  it('has one run though two workers fire it', async () => {
    const seed = await seedDue();
    const [one, other] = [await findDueMove(seed), await findDueMove(seed)];
    const verdicts = await Promise.all([
      moveSchedules(stores.db, [one], UNCOUNTED),
      moveSchedules(stores.db, [other], UNCOUNTED),
    ]);
    expect(verdicts.flatMap((each) => each.map(({ kind }) => kind)).sort()).toEqual(['elsewhere', 'moved']);
    expect(await firedTimes(stores, seed)).toEqual(['2026-05-04T09:00Z']);
    await setStatus(stores, clock, seed, 'inactive');
  });

  it('has none, and stays due, when the statement does not get through', async () => {
    const seed = await seedDue();
    const move = await findDueMove(seed);
    const broken = { ...move, request: { ...move.request, triggerData: 'a\u0000b' } };
    await expect(moveSchedules(stores.db, [broken], UNCOUNTED)).rejects.toThrow();
    expect(await stores.db.schedule.findFirst({ where: { workflowId: seed.workflowId } })).toMatchObject({
      nextFireAt: new Date('2026-05-04T09:00:00Z'),
      lastFireAt: null,
    });
    expect(await moveSchedules(stores.db, [move], UNCOUNTED)).toEqual([{ kind: 'moved' }]);
    await setStatus(stores, clock, seed, 'inactive');
  });

  it('has a run that is executed although the worker that fired it died before it queued it', async () => {
    const seed = await seedDue();
    const redis = connectRedis(stores.redis.url, { role: 'producer' });
    const queue = createRunQueue(redis);
    const dying = await startFiring(stores, {
      clock,
      isLeased: false,
      watchQueue: () => ({ ...queue, add: () => Promise.reject(new Error('died')) }),
    });
    await dying.fire();
    await setStatus(stores, clock, seed, 'inactive');
    await queue.close();
    redis.disconnect();
    const [run] = await stores.db.execution.findMany({ where: { workflowId: seed.workflowId } });
    expect(run).toMatchObject({ status: 'pending', claimedDispatch: 0 });

    await startTestWorker(stores, { mayRecover: true });
    await until(
      async () => (await stores.db.execution.findUniqueOrThrow({ where: { id: run?.id ?? '' } })).status === 'success',
      'the end of the run',
    );
    const note = await stores.db.nodeRun.findUniqueOrThrow({
      where: { executionId_nodeId: { executionId: run?.id ?? '', nodeId: 'note' } },
    });
    expect(JSON.parse(note.output ?? '')).toEqual({ due: '2026-05-04T09:00:00.000Z' });
  });
});
