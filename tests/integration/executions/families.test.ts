import {
  startChild,
  type StartLimits,
  endWaitsOfParents,
  createDatabase,
  type Database,
  pauseExecution,
  Prisma,
  resumeExecution,
  stopDescendants,
  stopExecution,
  stopOrphans,
} from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  countingLimits,
  createTestDatabase,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  UNCOUNTED,
} from '../../harness/index.ts';
import { runs } from '../../harness/random.ts';

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 10 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const actor = () => ({ userId: seed.userId, boundTo: null });
const FOREVER = Infinity;
/** In the full run, the most that a run may start. */
const CHILDREN = runs(2_000, 20_000);
const ignore = () => Promise.resolve();
const unfinished = () => db.execution.count({ where: { workspaceId: seed.workspaceId, finishedAt: null } });

/** Accepts a run that another starts. @returns its id, or why it was refused. */
async function startOne(parentExecutionId: string): Promise<string> {
  const executionId = uuidv7();
  const { kind } = await startChild(
    db,
    {
      executionId,
      workflowId: seed.workflowId,
      parentExecutionId,
      parentNodeId: 'a',
      triggerData: '{}',
    },
    UNCOUNTED,
  );
  return kind === 'started' ? executionId : kind;
}

/** Adds many children of a run, each with a node in progress and an iteration of the parent that waits for it. */
async function addChildren(parentId: string, count: number, options: { waitedFor: boolean }): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, source, trigger_node_id, trigger_data,
      parent_execution_id, parent_node_id, depth, created_at, dispatched_at, deadline_at, status, stored_bytes)
    SELECT overlay(gen_random_uuid()::text PLACING left(first_id_of(now())::text, 13) FROM 1)::uuid, p.workspace_id, p.workflow_id, p.workflow_version_id, 'workflow', 'start', '{}',
      p.id, 'a', p.depth + 1, now(), now(), now() + interval '1 day', 'running', 2
    FROM executions p, generate_series(1, ${count}) WHERE p.id = ${parentId}::uuid`);
  const children = Prisma.sql`SELECT id, row_number() OVER (ORDER BY id)::text AS number
    FROM executions WHERE parent_execution_id = ${parentId}::uuid`;
  await db.$executeRaw(Prisma.sql`
    INSERT INTO node_runs (execution_id, node_id, status, started_at) SELECT c.id, 'a', 'running', now() FROM (${children}) c`);
  if (!options.waitedFor) return;
  await db.$executeRaw(Prisma.sql`
    INSERT INTO node_iterations (execution_id, node_id, iteration, status, started_at)
    SELECT ${parentId}::uuid, 'a', c.number, 'waiting', now() FROM (${children}) c`);
  await db.$executeRaw(Prisma.sql`
    INSERT INTO waits (execution_id, node_id, iteration, kind, details, created_at, child_execution_id)
    SELECT ${parentId}::uuid, 'a', c.number, 'workflow', '{}', now(), c.id FROM (${children}) c`);
}

describe('stopping a family', () => {
  it('of thousands of children ends all of them and all that they had in progress, batch by batch', async () => {
    const root = await seed.accept();
    await addChildren(root, CHILDREN, { waitedFor: true });
    // As autovacuum does within a minute.
    await db.$executeRawUnsafe('ANALYZE executions, node_runs, node_iterations, waits');
    await stopExecution(db, actor(), root);
    expect(await db.execution.findUnique({ where: { id: root } })).toMatchObject({ status: 'stopped' });
    const sizes: number[] = [];
    const stopped = await stopDescendants(db, {
      of: [root],
      until: FOREVER,
      onStopped: (ids) => Promise.resolve(void sizes.push(ids.length)),
    });
    expect([stopped, Math.max(...sizes)]).toEqual([CHILDREN, 500]);
    expect(await unfinished()).toBe(0);
    for (const table of ['node_runs', 'node_iterations']) {
      const open = await db.$queryRaw<unknown[]>(Prisma.sql`
        SELECT 1 FROM ${Prisma.raw(table)} WHERE status IN ('pending', 'running', 'waiting') LIMIT 1`);
      expect([table, open]).toEqual([table, []]);
    }
    expect(await db.unindexedExecution.count()).toBe(CHILDREN + 1);
    expect(await db.stoppedParent.count()).toBe(0);
    // The waits of a stopped run end in batches, too.
    for (let found = 1; found > 0;) ({ found } = await stopOrphans(db, 1_000));
    expect(await db.wait.count({ where: { answeredAt: null } })).toBe(0);
  });

  it('is continued by any process where it was interrupted, to the last generation', async () => {
    let parent = await seed.accept();
    const root = parent;
    for (let depth = 0; depth < 10; depth += 1) {
      await addChildren(parent, 60, { waitedFor: false });
      parent = await startOne(parent);
    }
    expect(await startOne(parent)).toBe('tooDeep');
    await stopExecution(db, actor(), root);
    // The first one has no time for anything; the second dies after each batch.
    expect(await stopDescendants(db, { of: [root], until: performance.now(), onStopped: ignore })).toBe(0);
    let batches = 0;
    const die = () => Promise.reject(new Error('the process died'));
    while ((await db.stoppedParent.count()) > 0) {
      await stopDescendants(db, { until: FOREVER, onStopped: die }).catch(() => (batches += 1));
    }
    expect(batches).toBeGreaterThanOrEqual(10);
    expect(await unfinished()).toBe(0);
  });

  it('leaves no child that is accepted at the same time', async () => {
    for (let round = 0; round < 40; round += 1) {
      const root = await seed.accept();
      const child = await startOne(root);
      const started = Promise.all([root, child, root, child, child].map((id) => startOne(id)));
      await stopExecution(db, actor(), root);
      await stopDescendants(db, { of: [root], until: FOREVER, onStopped: ignore });
      const verdicts = await started;
      // A child that started before its parent was stopped is stopped with it, at the latest by maintenance.
      await stopDescendants(db, { until: FOREVER, onStopped: ignore });
      expect([round, verdicts, await unfinished()]).toEqual([round, verdicts, 0]);
      expect(await startOne(root)).toBe('parentGone');
    }
  });

  it('stops no run twice, and nothing of another family', async () => {
    const [root, other] = [await seed.accept(), await seed.accept()];
    await addChildren(root, 700, { waitedFor: false });
    const finished = await startOne(root);
    await db.execution.update({ where: { id: finished }, data: { status: 'success', finishedAt: new Date() } });
    await addChildren(other, 5, { waitedFor: false });
    await stopExecution(db, actor(), root);
    const counts = await Promise.all([1, 2, 3].map(() => stopDescendants(db, { until: FOREVER, onStopped: ignore })));
    await stopDescendants(db, { until: FOREVER, onStopped: ignore });
    expect(counts.reduce((sum, count) => sum + count)).toBe(700);
    expect(await db.execution.findUnique({ where: { id: finished } })).toMatchObject({ status: 'success' });
    expect(await unfinished()).toBe(6);
    await stopExecution(db, actor(), other);
    await stopDescendants(db, { until: FOREVER, onStopped: ignore });
  });
});

describe('pausing a family', () => {
  it('of thousands of children pauses all of it at once, and a resume lets all of it go on', async () => {
    const root = await seed.accept();
    await addChildren(root, CHILDREN, { waitedFor: true });
    await db.$executeRawUnsafe('ANALYZE executions, node_runs, node_iterations, waits');
    expect(await pauseExecution(db, actor(), root)).toHaveLength(CHILDREN + 1);
    expect(await db.execution.count({ where: { parentExecutionId: root, status: 'paused' } })).toBe(CHILDREN);
    expect((await resumeExecution(db, actor(), root)).resumed).toHaveLength(CHILDREN + 1);
    expect(await db.execution.count({ where: { status: 'paused' } })).toBe(0);
    await stopExecution(db, actor(), root);
    await stopDescendants(db, { of: [root], until: FOREVER, onStopped: ignore });
  });
});

describe('children of a run that ended without waiting for them', () => {
  it('are stopped, all of them, however many one batch takes', async () => {
    const parent = await seed.accept();
    await addChildren(parent, 25, { waitedFor: true });
    const forgotten = await startOne(parent);
    await db.execution.update({ where: { id: parent }, data: { status: 'failed', finishedAt: new Date() } });
    const stopped: string[] = [];
    for (let found = 10; found === 10;) {
      const batch = await stopOrphans(db, 10);
      stopped.push(...batch.stopped);
      ({ found } = batch);
    }
    expect(new Set(stopped).size).toBe(25);
    // No run waited for it, so it continues.
    expect(await db.execution.findUnique({ where: { id: forgotten } })).toMatchObject({ status: 'pending' });
    expect(await db.wait.count({ where: { executionId: parent, answeredAt: null } })).toBe(0);
    await stopExecution(db, actor(), forgotten);
  });
});

describe('the child of a node that its run cancelled', () => {
  /** Cancels a node, as a checkpoint does. */
  const cancel = (executionId: string, childExecutionId: string) => {
    const wait = { executionId, nodeId: 'a', kind: 'workflow', details: '{}', childExecutionId } as const;
    return db.wait.create({ data: { ...wait, createdAt: new Date(), cancelledAt: new Date() } });
  };
  const openWaits = (executionId: string) => db.wait.count({ where: { executionId, answeredAt: null } });

  it('is stopped while its parent goes on, and wakes nobody', async () => {
    const parent = await seed.accept();
    const [child, finished] = [await startOne(parent), await startOne(parent)];
    await cancel(parent, child);
    await db.execution.update({ where: { id: finished }, data: { status: 'success', finishedAt: new Date() } });
    const wait = { executionId: parent, nodeId: 'b', kind: 'workflow', details: '{}' } as const;
    const times = { createdAt: new Date(), cancelledAt: new Date() };
    await db.wait.create({ data: { ...wait, ...times, childExecutionId: finished } });
    expect(await endWaitsOfParents(db, { parentIds: [parent] })).toEqual([]);
    expect((await stopOrphans(db, 10)).stopped).toEqual([child]);
    expect(await openWaits(parent)).toBe(0);
    expect(await db.execution.findUnique({ where: { id: parent } })).toMatchObject({
      status: 'pending',
      answerCount: 0,
    });
    await stopExecution(db, actor(), parent);
  });

  it('is stopped although it was accepted only after that', async () => {
    const [parent, child] = [await seed.accept(), uuidv7()];
    await cancel(parent, child);
    expect(await stopOrphans(db, 10)).toEqual({ found: 0, stopped: [] });
    const request = { executionId: child, workflowId: seed.workflowId, triggerData: '{}' };
    await startChild(db, { ...request, parentExecutionId: parent, parentNodeId: 'a' }, UNCOUNTED);
    expect((await stopOrphans(db, 10)).stopped).toEqual([child]);
    await stopExecution(db, actor(), parent);
  });

  it('is forgotten once its parent has ended without it', async () => {
    const [parent, child] = [await seed.accept(), uuidv7()];
    await cancel(parent, child);
    await db.execution.update({ where: { id: parent }, data: { status: 'success', finishedAt: new Date() } });
    expect(await stopOrphans(db, 10)).toEqual({ found: 1, stopped: [] });
    expect(await openWaits(parent)).toBe(0);
    expect(await startOne(parent)).toBe('parentGone');
  });
});

describe('a parent that waits for many children', () => {
  it('gets the answers of those that are finished in batches, each once', async () => {
    const parent = await seed.accept();
    await addChildren(parent, 25, { waitedFor: true });
    await db.execution.update({ where: { id: parent }, data: { status: 'running' } });
    await db.execution.updateMany({
      where: { parentExecutionId: parent },
      data: { status: 'success', finishedAt: new Date(), result: '{"body":1}' },
    });
    for (let batch = 0; batch < 2; batch += 1) {
      await Promise.all([endWaitsOfParents(db, { limit: 10 }), endWaitsOfParents(db, { limit: 10 })]);
    }
    while ((await endWaitsOfParents(db, { limit: 10 })).length > 0);
    expect(await db.execution.findUnique({ where: { id: parent } })).toMatchObject({ answerCount: 25 });
    const [wait] = await db.wait.findMany({ where: { executionId: parent, answeredAt: { not: null } } });
    expect(JSON.parse(wait?.answer ?? '')).toEqual({ status: 'success', result: { body: 1 }, error: null });
    await stopExecution(db, actor(), parent);
  });
});

describe('limits of a workspace', () => {
  const limit = (data: { executionsPerMinute?: number | null; storageQuotaBytes?: bigint | null }) =>
    db.workspace.update({ where: { id: seed.workspaceId }, data });
  const accept = (parentExecutionId: string, executionId: string, limits = UNCOUNTED) =>
    startChild(
      db,
      {
        executionId,
        workflowId: seed.workflowId,
        parentExecutionId,
        parentNodeId: 'a',
        triggerData: '{}',
      },
      limits,
    );

  it('keep a child out until it is counted, under the limit that is set', async () => {
    const [parent, child] = [await seed.accept(), uuidv7()];
    await limit({ executionsPerMinute: 5 });
    const { workspaceId } = seed;
    const refusing = countingLimits(() => true);
    expect(await accept(parent, child, refusing.limits)).toMatchObject({ kind: 'rateLimited' });
    expect(refusing.counts).toEqual([{ workspaceId, max: 5 }]);
    // The limit is changed while the child is counted.
    const { limits, counts } = countingLimits();
    const changing: StartLimits = {
      ...limits,
      async count(...of) {
        if (counts.length === 0) await limit({ executionsPerMinute: 4 });
        return limits.count(...of);
      },
    };
    expect(await accept(parent, child, changing)).toMatchObject({ kind: 'started' });
    expect(counts).toEqual([
      { workspaceId, max: 5 },
      { workspaceId, max: 4 },
    ]);
    // Repeated, as after a lost response.
    expect(await accept(parent, child)).toMatchObject({ kind: 'started' });
    await limit({ executionsPerMinute: null });
  });

  it('keep a child out while the workspace is over its quota', async () => {
    const [parent, child] = [await seed.accept(), uuidv7()];
    await limit({ storageQuotaBytes: 0n });
    expect(await accept(parent, child)).toEqual({ kind: 'overQuota' });
    await limit({ storageQuotaBytes: null });
    expect(await accept(parent, child)).toMatchObject({ kind: 'started' });
  });

  it('let a run start 20,000 others, directly and through others, each counted once', async () => {
    const root = await seed.accept();
    const [child, repeated] = [await startOne(root), uuidv7()];
    for (let time = 0; time < 3; time += 1) await accept(child, repeated);
    expect(await db.runFamily.findMany({ where: { rootExecutionId: { in: [root, child, repeated] } } })).toEqual([
      { rootExecutionId: root, started: 2 },
    ]);
    await db.runFamily.update({ where: { rootExecutionId: root }, data: { started: 19_999 } });
    const last = await Promise.all([root, child, repeated].map((parent) => startOne(parent)));
    expect(last.filter((verdict) => verdict === 'tooMany')).toHaveLength(2);
    expect(await accept(child, repeated)).toMatchObject({ kind: 'started' });
    expect(await startOne(await seed.accept())).not.toBe('tooMany');
  });
});
