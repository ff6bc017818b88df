import { acceptEvents, createDatabase, type Database, startRuns } from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import {
  createRandom,
  createTestDatabase,
  seedWorkflow,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  UNCOUNTED,
  until,
  untilCount,
} from '../../harness/index.ts';

/** Runs that wait, and events that wake one each and start another. */
const EVENTS = 10_000;
const BATCH = 500;
const KILLS = 5;

let env: Record<string, string>;
let db: Database;

beforeAll(async () => {
  const [database, redis] = [await createTestDatabase(), await startTestRedis()];
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 6 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

/** The indexes of batches of this test. */
const BATCHES = Array.from({ length: EVENTS / BATCH }, (_, n) => n * BATCH);

it('10,000 events wake 10,000 runs and start 10,000, none lost and none doubled, while workers are killed', async () => {
  const seed = await seedWorkflow(db, {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      // A slow machine takes longer than a minute between an event and the wait for it.
      {
        id: 'paid',
        type: 'wait.event',
        parameters: { name: 'order.paid', key: '{{ $trigger.order }}', lookbackSeconds: 3_600 },
      },
      { id: 'end', type: 'set', parameters: { fields: { paid: '{{ $input.data.n }}' } } },
    ],
    edges: [
      { source: 'start', target: 'paid' },
      { source: 'paid', sourceHandle: 'received', target: 'end' },
    ],
  });
  const started = await seedWorkflow(db, {
    nodes: [{ id: 'event', type: 'trigger.event', parameters: { name: 'order.paid' } }],
    edges: [],
  });
  const { latestVersionId } = await db.workflow.findUniqueOrThrow({ where: { id: started.workflowId } });
  await db.workflow.update({
    where: { id: started.workflowId },
    data: { workspaceId: seed.workspaceId, status: 'active', activeVersionId: latestVersionId },
  });
  const trigger = {
    workflowId: started.workflowId,
    nodeId: 'event',
    workspaceId: seed.workspaceId,
    name: 'order.paid',
  };
  await db.eventTrigger.create({ data: { ...trigger, workflowVersionId: latestVersionId ?? '' } });

  const runs = Array.from({ length: EVENTS }, (_, n) => ({ executionId: uuidv7(), order: `A-${n}` }));
  for (const from of BATCHES) {
    const batch = runs.slice(from, from + BATCH).map(({ executionId, order }) => ({
      executionId,
      workflowId: seed.workflowId,
      actor: { userId: seed.userId, boundTo: null },
      triggerNodeId: null,
      mode: 'normal' as const,
      source: 'api' as const,
      triggerData: JSON.stringify({ order }),
    }));
    const verdicts = await startRuns(db, batch, UNCOUNTED);
    expect(verdicts.every(({ kind }) => kind === 'accepted')).toBe(true);
  }
  let worker = await spawnApp('worker', env);
  // Half of the events come while runs begin to wait, the others afterwards.
  const send = async (from: number) => {
    const events = Array.from({ length: BATCH }, (_, n) => ({
      id: uuidv7(),
      workspaceId: seed.workspaceId,
      actor: null,
      eventId: `evt-${from + n}`,
      name: 'order.paid',
      key: `A-${from + n}`,
      data: JSON.stringify({ n: from + n }),
    }));
    await acceptEvents(db, events);
  };
  const ended = (workflowId: string) => db.execution.count({ where: { workflowId, status: 'success' } });
  const random = createRandom();
  for (const [index, from] of BATCHES.entries()) {
    await send(from);
    if (index % (BATCHES.length / KILLS) !== 2) continue;
    const before = await ended(seed.workflowId);
    await until(async () => (await ended(seed.workflowId)) > before, 'runs that are woken');
    await sleep(random() * 200);
    await worker.kill('SIGKILL');
    worker = await spawnApp('worker', env);
  }
  await untilCount(() => ended(seed.workflowId), EVENTS, 'runs that waited and ended');
  await untilCount(() => ended(started.workflowId), EVENTS, 'runs that were started and ended');
  expect(await db.execution.count()).toBe(2 * EVENTS);
  expect(await db.event.count({ where: { matchedAt: null } })).toBe(0);
  const [wrong] = await db.$queryRaw<{ wakes: number; starts: number }[]>`
    SELECT (SELECT count(*)::int FROM executions e JOIN waits w ON w.execution_id = e.id LEFT JOIN events v ON v.id = w.event_id
        WHERE e.answers <> 1 OR v.key IS DISTINCT FROM e.trigger_data::json ->> 'order') AS wakes,
      (SELECT count(DISTINCT e.trigger_data::json ->> 'id')::int FROM executions e WHERE e.source = 'event') AS starts`;
  expect(wrong).toEqual({ wakes: 0, starts: EVENTS });
  await worker.stop();
});

it('events stop the runs with their key and no others, while workers are killed', async () => {
  const RUNS = 600;
  const seed = await seedWorkflow(db, {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } },
    ],
    edges: [{ source: 'start', target: 'ask' }],
    settings: { cancelOn: [{ name: 'order.cancelled', key: '{{ $trigger.order }}' }] },
  });
  const orders = Array.from({ length: RUNS }, (_, n) => `C-${n}`);
  const stopped = () => db.execution.count({ where: { workflowId: seed.workflowId, status: 'stopped' } });
  const random = createRandom();
  for (const [index, order] of orders.entries()) {
    await seed.accept({ order });
    // Every second order is cancelled: some before their run begins, some while it waits.
    if (index % 2 === 0) {
      const event = { id: uuidv7(), workspaceId: seed.workspaceId, actor: null, eventId: order };
      await acceptEvents(db, [{ ...event, name: 'order.cancelled', key: order, data: 'null' }]);
    }
    if (index % 200 !== 199) continue;
    const before = await stopped();
    const worker = await spawnApp('worker', env);
    await until(async () => (await stopped()) > before, 'runs that are stopped');
    await sleep(random() * 200);
    await worker.kill('SIGKILL');
  }
  const worker = await spawnApp('worker', env);
  await untilCount(stopped, RUNS / 2, 'runs that are stopped');
  const waits = () => db.execution.count({ where: { workflowId: seed.workflowId, status: 'waiting_for_input' } });
  await until(async () => (await waits()) === RUNS / 2, 'the other runs');
  const left = await db.execution.findMany({ where: { workflowId: seed.workflowId, status: 'stopped' } });
  const isCancelled = ({ triggerData }: { triggerData: string | null }) =>
    Number(/C-(\d+)/.exec(triggerData ?? '')?.[1]) % 2 === 0;
  expect(left.every(isCancelled)).toBe(true);
  await worker.stop();
});
