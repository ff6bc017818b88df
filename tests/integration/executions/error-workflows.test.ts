import {
  type Checkpoint,
  claimExecutions,
  createDatabase,
  type Database,
  type ErrorStartResult,
  failUnqueuedExecutions,
  findDueErrorStarts,
  startErrorWorkflows,
  stopExecution,
  timeOutRuns,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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

const ERROR = { message: 'No such order', nodeId: 'a', code: 'NODE_FAILED' };

let db: Database;
let seed: Seed;
let handlerId: string;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 8 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);
beforeEach(async () => {
  await db.errorStart.deleteMany();
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  handlerId = await addHandler();
});

/** Adds an active workflow to a workspace. */
async function addHandler(workspaceId = seed.workspaceId): Promise<string> {
  const other = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  const { latestVersionId } = await db.workflow.findUniqueOrThrow({ where: { id: other.workflowId } });
  await db.workflow.update({
    where: { id: other.workflowId },
    data: { workspaceId, status: 'active', activeVersionId: latestVersionId },
  });
  return other.workflowId;
}

const name = (data: { errorWorkflowId?: string | null; hasErrorWorkflow?: boolean }) =>
  db.workflow.update({ where: { id: seed.workflowId }, data });
const nameForAll = (errorWorkflowId: string) =>
  db.workspace.update({ where: { id: seed.workspaceId }, data: { errorWorkflowId } });

/** Ends a run by the checkpoint of its worker. @returns its id. */
async function end(status: 'failed' | 'timeout' | 'success', id?: string): Promise<string> {
  const executionId = id ?? (await seed.accept());
  const [token, workerId] = [uuidv7(), uuidv7()];
  const [claimed] = await claimExecutions(db, [{ executionId, dispatch: 1, token }], workerId);
  const checkpoint: Checkpoint = {
    executionId,
    epoch: claimed?.epoch ?? 0,
    token,
    claim: null,
    checkpoint: 1,
    currentNodeId: null,
    loopPositions: null,
    nodeRuns: [],
    nodeIterations: [],
    waits: [],
    ending: { kind: 'finished', status, error: status === 'success' ? null : JSON.stringify(ERROR), result: null },
  };
  expect(await writeCheckpoints(db, [checkpoint])).toEqual(['written']);
  expect(await writeCheckpoints(db, [checkpoint])).toEqual(['written']);
  return executionId;
}

const pending = async () => (await db.errorStart.findMany()).map(({ executionId }) => executionId);
/** Starts due error workflows. @returns what was reported of them. @throws also after some were reported. */
async function startDue(limits = UNCOUNTED, reported: ErrorStartResult[] = []) {
  const due = await findDueErrorStarts(db, { limit: 100, except: [] });
  await startErrorWorkflows(db, due, limits, (results) => {
    reported.push(...results);
    return Promise.resolve();
  });
  return reported;
}
const started = (failedId: string) => db.execution.findMany({ where: { errorOf: failedId } });
const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });

describe('the statement that ends a run', () => {
  it('reports it once to the error workflow of its workflow, or else of its workspace', async () => {
    await name({ errorWorkflowId: handlerId });
    const failed = await end('failed');
    expect(await db.errorStart.findMany()).toMatchObject([{ executionId: failed, errorWorkflowId: handlerId }]);
    await startDue();
    const other = await addHandler();
    await nameForAll(other);
    await end('timeout');
    expect(await db.errorStart.findMany()).toMatchObject([{ errorWorkflowId: handlerId }]);
    await startDue();
    await name({ errorWorkflowId: null });
    await end('timeout');
    expect(await db.errorStart.findMany()).toMatchObject([{ errorWorkflowId: other }]);
  });

  it.each([
    ['timed out by maintenance', (id: string) => timeOutRuns(db, [id], 0)],
    ['could not be queued', (id: string) => failUnqueuedExecutions(db, [id])],
  ])('reports a run that %s', async (_, act) => {
    await name({ errorWorkflowId: handlerId });
    const id = await seed.accept();
    await db.execution.update({ where: { id }, data: { deadlineAt: new Date(0) } });
    await act(id);
    expect(await pending()).toEqual([id]);
  });

  it('reports none without an error workflow, and none of a workflow that has turned it off', async () => {
    await end('failed');
    await nameForAll(handlerId);
    await name({ hasErrorWorkflow: false });
    await end('failed');
    expect(await pending()).toEqual([]);
  });

  it('reports no run that succeeds, is stopped, or is a try', async () => {
    await nameForAll(handlerId);
    await end('success');
    await stopExecution(db, { userId: seed.userId, boundTo: null }, await seed.accept());
    for (const executionMode of ['test', 'debug', 'sandbox'] as const) {
      const id = await seed.accept();
      await db.execution.update({ where: { id }, data: { executionMode } });
      await end('failed', id);
    }
    expect(await pending()).toEqual([]);
  });
});

describe('an error workflow', () => {
  beforeEach(() => name({ errorWorkflowId: handlerId }));

  it('is started with what happened, and each of the runs names the other', async () => {
    const failed = await seed.accept();
    const [starter, earlier] = [uuidv7(), uuidv7()];
    await db.execution.update({ where: { id: failed }, data: { startedBy: starter, involved: [earlier] } });
    await end('failed', failed);
    const before = await read(failed);
    const [result] = await startDue();
    const [run] = await started(failed);
    expect(result).toMatchObject({ failedId: failed, result: { executionId: run?.id } });
    expect(run).toMatchObject({ workflowId: handlerId, source: 'error', status: 'pending', executionMode: 'normal' });
    // For four eyes.
    expect(run?.involved.toSorted()).toEqual([starter, earlier].toSorted());
    expect(JSON.parse(run?.triggerData ?? '')).toMatchObject({
      executionId: failed,
      workflowId: seed.workflowId,
      workflowName: 'Test',
      status: 'failed',
      error: ERROR,
      failedNodeId: 'a',
    });
    expect(await read(failed)).toMatchObject({
      status: 'failed',
      errorExecutionId: run?.id,
      errorStartCode: null,
      revision: before.revision + 1,
    });
    expect(await pending()).toEqual([]);
  });

  it('is started although its trigger has a schema, because its input is not that of a caller', async () => {
    const schemas = { start: { schema: { required: ['email'] } } };
    await db.workflowVersion.updateMany({ where: { workflowId: handlerId }, data: { inputSchemas: schemas } });
    const failed = await end('failed');
    await startDue();
    expect(await started(failed)).toHaveLength(1);
  });

  it('is started once, though many processes do so at the same time', async () => {
    const failed = await Promise.all(Array.from({ length: 20 }, () => end('failed')));
    const results = await Promise.all(Array.from({ length: 6 }, () => startDue()));
    expect(
      results
        .flat()
        .map(({ failedId }) => failedId)
        .sort(),
    ).toEqual([...failed].sort());
    const runs = await db.execution.findMany({ where: { errorOf: { in: failed } } });
    expect(runs.map(({ errorOf }) => errorOf).sort()).toEqual([...failed].sort());
  });

  it('is not started for its own runs, nor for those that they start or that are rerun by it', async () => {
    await db.workflow.update({ where: { id: handlerId }, data: { errorWorkflowId: handlerId } });
    await nameForAll(handlerId);
    const failed = await end('failed');
    await startDue();
    const [run] = await started(failed);
    await end('failed', run?.id);
    expect(await pending()).toEqual([]);
  });

  it.each([
    [
      'inactive',
      'NO_ACTIVE_VERSION',
      () => db.workflow.update({ where: { id: handlerId }, data: { status: 'inactive' } }),
    ],
    ['deleted', 'NOT_FOUND', () => db.workflow.delete({ where: { id: handlerId } })],
    [
      'of another workspace meanwhile',
      'NOT_FOUND',
      async () => {
        const { workspaceId } = await seedWorkflow(db, chain());
        await db.workflow.update({ where: { id: handlerId }, data: { workspaceId } });
      },
    ],
    [
      'over the quota of its workspace',
      'workspace_over_quota',
      () => db.workspace.update({ where: { id: seed.workspaceId }, data: { storedBytes: 2, storageQuotaBytes: 1 } }),
    ],
  ])('that is %s is not started, and the failed run says so: %s', async (_, code, spoil) => {
    const failed = await end('failed');
    await spoil();
    expect(await startDue()).toMatchObject([{ failedId: failed, result: { code } }]);
    expect(await read(failed)).toMatchObject({ errorExecutionId: null, errorStartCode: code });
    expect(await started(failed)).toEqual([]);
    expect(await pending()).toEqual([]);
  });

  it('stays in the list while its start is not counted, or delayed', async () => {
    const failed = await end('failed');
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { executionsPerMinute: 5 } });
    expect(await startDue(countingLimits(() => true).limits)).toEqual([]);
    expect(await pending()).toEqual([failed]);
    expect(await findDueErrorStarts(db, { limit: 10, except: [] })).toEqual([]);
    await db.errorStart.updateMany({ data: { nextAttemptAt: new Date(0) } });
    const { limits, counts } = countingLimits();
    expect(await startDue(limits)).toMatchObject([{ failedId: failed }]);
    expect(counts).toEqual([{ workspaceId: seed.workspaceId, max: 5 }]);
    expect(await started(failed)).toHaveLength(1);
  });

  it('is reported although a later attempt for another fails', async () => {
    const failed = await end('failed');
    seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    await nameForAll(await addHandler());
    const uncounted = await end('failed');
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { executionsPerMinute: 5 } });
    const reported: ErrorStartResult[] = [];
    await expect(startDue(UNCOUNTED, reported)).rejects.toThrow('a run is counted');
    expect(reported).toMatchObject([{ failedId: failed }]);
    expect(await started(failed)).toHaveLength(1);
    expect(await pending()).toEqual([uncounted]);
  });

  it('is not delayed by 10,000 failures of another workspace', async () => {
    const noisy = await seedWorkflow(db, chain());
    const flood = (count: number) => db.$executeRaw`
      INSERT INTO error_starts (execution_id, workspace_id, error_workflow_id, next_attempt_at)
      SELECT gen_random_uuid(), ${noisy.workspaceId}::uuid, ${handlerId}::uuid, now() - interval '1 minute' FROM generate_series(1, ${count}::int)`;
    await flood(10_000);
    const failed = [await end('failed'), await end('failed')];
    const page = await findDueErrorStarts(db, { limit: 100, except: [] });
    // The noisy workspace has its share, and what the other leaves.
    expect(page).toHaveLength(100);
    expect(new Set(page.map(({ executionId }) => executionId)).size).toBe(100);
    const own = page.filter(({ workspaceId }) => workspaceId === seed.workspaceId);
    expect(own.map(({ executionId }) => executionId)).toEqual(failed);
    expect((await startDue()).map(({ failedId }) => failedId).sort()).toEqual([...failed].sort());
  });

  it('of many workspaces gets at least one start of each page, the one that has waited longest', async () => {
    await db.$executeRaw`
      INSERT INTO error_starts (execution_id, workspace_id, error_workflow_id, next_attempt_at)
      SELECT gen_random_uuid(), md5((i % 40)::text)::uuid, ${handlerId}::uuid, now() - i * interval '1 second' FROM generate_series(1, 400) i`;
    const page = await findDueErrorStarts(db, { limit: 50, except: [] });
    expect(new Set(page.map(({ workspaceId }) => workspaceId)).size).toBe(40);
    const [oldest] = await db.errorStart.findMany({ orderBy: { nextAttemptAt: 'asc' }, take: 1 });
    expect(page[0]?.executionId).toBe(oldest?.executionId);
    const few = await findDueErrorStarts(db, { limit: 20, except: [] });
    expect(few).toHaveLength(20);
    expect(few[0]?.executionId).toBe(oldest?.executionId);
  });

  it('is forgotten together with a failed run that retention has deleted', async () => {
    const failed = await end('failed');
    await db.execution.delete({ where: { id: failed } });
    expect(await startDue()).toEqual([]);
    expect(await pending()).toEqual([]);
  });
});
