import type { Checkpoint, CheckpointEnding } from '@deckhand/db';
import {
  startChild,
  acceptEvents,
  endNewWaits,
  endWaitsForEvents,
  endWaitsOfParents,
  claimExecutions,
  claimLimited,
  countHeldRuns,
  createDatabase,
  deleteRunsOfDeletedWorkspaces,
  dispatchAgain,
  endDueWaits,
  foldStorageChanges,
  indexExecutions,
  markMatched,
  pauseExecution,
  Prisma,
  pruneData,
  pruneEvents,
  pruneRuns,
  recoverRuns,
  releaseExecutions,
  releaseHeldBackOf,
  resumeExecution,
  stopDescendants,
  stopExecution,
  stopExecutions,
  stopOrphans,
  timeOutRuns,
  wakeDueRuns,
  writeCheckpoints,
} from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  type Chance,
  createStress,
  createTestDatabase,
  nodeRow,
  type Operations,
  runs,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  type Stress,
  UNCOUNTED,
} from '../../harness/index.ts';

/** Approximate number of unfinished runs of each workspace. */
const RUNS = 25;
/** Maximum number of concurrent runs of the workspace with a limit. */
const LIMIT = 8;
const WORKERS = [uuidv7(), uuidv7()] as const;

let stress: Stress;
let url: string;
let seeds: readonly Seed[];

beforeAll(async () => {
  ({ url } = await createTestDatabase());
  stress = createStress(url, runs(30, 120));
  const definition = chain({ id: 'a', type: 'set', parameters: { fields: {} } });
  seeds = await Promise.all([1, 2, 3].map(() => seedWorkflow(stress.db, definition)));
});
afterAll(stopAll);

const UNFINISHED = Prisma.sql`finished_at IS NULL`;
const FINISHED = Prisma.sql`finished_at IS NOT NULL`;
const HELD = Prisma.sql`worker_id IS NOT NULL`;
const WAITING = Prisma.sql`${UNFINISHED} AND worker_id IS NULL`;

interface FoundRun {
  readonly executionId: string;
  readonly workspaceId: string;
  readonly dispatch: number;
  readonly epoch: number;
  readonly token: string;
  readonly checkpoint: number;
  readonly answers: number;
}

/** Finds runs, in a random order, like batches of the product. */
async function findRuns(chance: Chance, condition: Prisma.Sql): Promise<FoundRun[]> {
  const rows = await stress.db.$queryRaw<FoundRun[]>(Prisma.sql`
    SELECT id AS "executionId", workspace_id AS "workspaceId", dispatch, epoch, claim_token AS token, checkpoint, answers
    FROM executions WHERE ${condition} ORDER BY id`);
  return chance.shuffle(rows);
}

async function findIds(chance: Chance, condition: Prisma.Sql): Promise<string[]> {
  return (await findRuns(chance, condition)).map(({ executionId }) => executionId);
}

async function findEvents(chance: Chance): Promise<string[]> {
  return chance.shuffle((await stress.db.event.findMany({ select: { id: true } })).map(({ id }) => id));
}

/** An unfinished run and its owner. */
async function findOne(chance: Chance) {
  const run = chance.one(await findRuns(chance, UNFINISHED));
  const seed = seeds.find(({ workspaceId }) => workspaceId === run.workspaceId);
  if (!seed) throw new Error('the run has another workspace');
  return { ...run, seed, actor: { userId: seed.userId, boundTo: null } };
}

/** The next checkpoint of a held run. One in eight ends it, and one in eight lets it rest. */
function nextCheckpoint(chance: Chance, run: FoundRun): Checkpoint {
  const endings: (CheckpointEnding | null)[] = [
    { kind: 'finished', status: 'success', error: null, result: '1' },
    { kind: 'resting', status: 'running', wakeAt: Date.now(), answerCount: run.answers },
    ...Array.from({ length: 6 }, () => null),
  ];
  return {
    ...run,
    claim: null,
    checkpoint: run.checkpoint + 1,
    currentNodeId: 'a',
    loopPositions: null,
    nodeRuns: [nodeRow('a', { output: '1', outputBytes: 1 })],
    nodeIterations: [],
    waits: [],
    ending: chance.one(endings),
  };
}

/** The writes of the API, of workers and of two holders of the maintenance lease on the same runs. */
const OPERATIONS: Operations = {
  async accept(chance) {
    const seed = chance.one(seeds);
    const where = { workspaceId: seed.workspaceId, finishedAt: null };
    for (let count = await stress.db.execution.count({ where }); count < RUNS; count += 1) await seed.accept();
  },
  async startChild(chance) {
    const { executionId: parentId, seed } = await findOne(chance);
    const childId = uuidv7();
    const wait = { executionId: parentId, nodeId: 'a', iteration: childId, kind: 'workflow', details: '{}' } as const;
    const { kind } = await startChild(
      stress.db,
      {
        executionId: childId,
        workflowId: seed.workflowId,
        parentExecutionId: parentId,
        parentNodeId: wait.nodeId,
        triggerData: '{}',
      },
      UNCOUNTED,
    );
    if (kind !== 'started') return;
    await stress.db.wait.create({ data: { ...wait, createdAt: new Date(), childExecutionId: childId } });
  },
  async claim(chance) {
    const requests = (await findRuns(chance, WAITING)).map((run) => ({ ...run, token: uuidv7() }));
    const workerId = chance.one(WORKERS);
    const claimed = new Set((await claimExecutions(stress.db, requests, workerId)).map(({ id }) => id));
    const left = requests.filter(({ executionId }) => !claimed.has(executionId));
    if (left.length > 0) await claimLimited(stress.db, left, workerId);
  },
  async checkpoint(chance) {
    const runs = await findRuns(chance, HELD);
    if (runs.length === 0) return;
    await writeCheckpoints(
      stress.db,
      runs.map((run) => nextCheckpoint(chance, run)),
    );
  },
  async release(chance) {
    await releaseExecutions(stress.db, chance.one(WORKERS), await findRuns(chance, HELD));
  },
  async dispatchAgain(chance) {
    await dispatchAgain(stress.db, await findRuns(chance, WAITING));
  },
  async recover(chance) {
    // A blocking run that does not exist: no loss is counted, so no run fails by it.
    const workers = WORKERS.map((id) => ({ id, blockingRun: uuidv7() }));
    await recoverRuns(stress.db, workers, await findIds(chance, HELD));
  },
  async wake(chance) {
    await wakeDueRuns(stress.db, await findIds(chance, UNFINISHED));
  },
  async timeOut(chance) {
    const { executionId } = await findOne(chance);
    await stress.db.execution.updateMany({
      where: { id: executionId, finishedAt: null },
      data: { deadlineAt: new Date(0) },
    });
    await timeOutRuns(stress.db, await findIds(chance, UNFINISHED), 0);
  },
  async pause(chance) {
    const { executionId, actor } = await findOne(chance);
    await pauseExecution(stress.db, actor, executionId);
    await resumeExecution(stress.db, actor, executionId);
  },
  /** Keeps a run's row locked, like a transaction whose next statement comes late. */
  async lockForLong(chance) {
    const { executionId } = await findOne(chance);
    await stress.db.$executeRaw`
      WITH locked AS MATERIALIZED (SELECT id FROM executions WHERE id = ${executionId}::uuid FOR UPDATE)
      SELECT pg_sleep(0.01) FROM locked`;
  },
  async stopFamily(chance) {
    const { executionId, actor } = await findOne(chance);
    await stopExecution(stress.db, actor, executionId);
    await stopDescendants(stress.db, { until: Infinity, onStopped: () => Promise.resolve() });
  },
  async stopMany(chance) {
    const { workspaceId, actor } = await findOne(chance);
    await stopExecutions(stress.db, actor, { workspaceId, status: ['paused'] }, () => Promise.resolve());
  },
  endWaitsOfParents: () => endWaitsOfParents(stress.db, { limit: 100 }),
  async awaitEvent(chance) {
    const { executionId, workspaceId } = await findOne(chance);
    const wait = {
      executionId,
      nodeId: 'a',
      iteration: uuidv7(),
      kind: 'event',
      details: '{"lookbackSeconds":60}',
    } as const;
    const event = { workspaceId, eventName: 'e', eventKey: '' };
    await stress.db.wait.create({ data: { ...wait, ...event, createdAt: new Date() } });
  },
  async sendEvents(chance) {
    const { workspaceId, actor } = await findOne(chance);
    const event = { workspaceId, actor, name: 'e', key: '', data: '1' };
    const ids = chance.shuffle(Array.from({ length: 8 }, (_, n) => String(n)));
    await acceptEvents(
      stress.db,
      ids.map((eventId) => ({ id: uuidv7(), eventId, ...event })),
    );
  },
  async matchEvents(chance) {
    const { whole } = await endWaitsForEvents(stress.db, await findEvents(chance));
    await markMatched(stress.db, whole);
  },
  matchNewWaits: async (chance) => endNewWaits(stress.db, await findIds(chance, UNFINISHED)),
  async pruneEvents(chance) {
    const old = (await findEvents(chance)).slice(0, 5);
    await stress.db.$executeRaw`
      WITH locked AS (SELECT id FROM events WHERE id = ANY (${old}::uuid[]) ORDER BY id FOR UPDATE)
      UPDATE events v SET received_at = 'epoch' FROM locked WHERE v.id = locked.id`;
    await pruneEvents(stress.db, 100);
  },
  stopOrphans: () => stopOrphans(stress.db, 100),
  async endDueWaits(chance) {
    const { executionId } = await findOne(chance);
    await stress.db.$executeRaw`UPDATE waits SET due_at = now() WHERE execution_id = ${executionId}::uuid`;
    const waits = await stress.db.wait.findMany({ where: { executionId }, select: { nodeId: true, iteration: true } });
    await endDueWaits(stress.db, executionId, waits);
  },
  fold: (chance) => foldStorageChanges(stress.db, 1 + chance.below(20)),
  releaseHeldBack: () =>
    releaseHeldBackOf(
      stress.db,
      seeds.map(({ workspaceId }) => workspaceId),
    ),
  countSlots: () => stress.db.$transaction((tx) => countHeldRuns(tx)),
  index: async (chance) => indexExecutions(stress.db, await findIds(chance, FINISHED)),
  pruneData: async (chance) => pruneData(stress.db, await findIds(chance, FINISHED)),
  deleteRuns: async (chance) => deleteRunsOfDeletedWorkspaces(stress.db, await findIds(chance, Prisma.sql`true`)),
  pruneRuns: async (chance) => pruneRuns(stress.db, await findIds(chance, FINISHED)),
};

/** Whether a run had another state by then, or was deleted. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['INVALID_STATE', 'NOT_FOUND', 'P2025'].includes(String(error.code));

it('causes no deadlock, whatever is done at once to the same runs, and leaves every row consistent', async () => {
  const [limited, deleted] = [seeds[1]?.workspaceId ?? '', seeds[2]?.workspaceId ?? ''];
  await stress.db.workspace.update({ where: { id: limited }, data: { maxConcurrentExecutions: LIMIT } });
  await stress.db.deletedWorkspace.create({ data: { workspaceId: deleted, workflowIds: [] } });
  for (const seed of seeds) for (let n = 0; n < RUNS; n += 1) await seed.accept();
  expect(await stress.run(OPERATIONS, isRefusal)).toEqual({ errors: [], deadlocks: 0 });

  const db = createDatabase({ url, poolSize: 1 });
  stopLater({ stop: () => db.$disconnect() });
  while ((await foldStorageChanges(db, 1_000)) > 0);
  const count = async (from: Prisma.Sql): Promise<number> => {
    const [row] = await db.$queryRaw<{ rows: number }[]>(Prisma.sql`SELECT count(*)::int AS rows FROM ${from}`);
    return row?.rows ?? -1;
  };
  const contradictions = {
    endedAndHeld: await count(Prisma.sql`executions WHERE ${FINISHED} AND ${HELD}`),
    heldAtRest: await count(Prisma.sql`executions WHERE ${HELD} AND status NOT IN ('running', 'paused')`),
    claimedBeforeDispatch: await count(Prisma.sql`executions WHERE claimed_dispatch > dispatch`),
    openNodesOfEnded: await count(Prisma.sql`executions e JOIN node_runs n ON n.execution_id = e.id
      WHERE e.finished_at IS NOT NULL AND n.status IN ('pending', 'running', 'waiting')`),
    nodesOfDeleted: await count(
      Prisma.sql`node_runs n LEFT JOIN executions e ON e.id = n.execution_id WHERE e.id IS NULL`,
    ),
    wrongSums: await count(Prisma.sql`workspaces w WHERE w.stored_bytes <> coalesce(
      (SELECT sum(e.stored_bytes) FROM executions e WHERE e.workspace_id = w.id), 0) + coalesce(
      (SELECT sum(octet_length(v.data)) FROM events v WHERE v.workspace_id = w.id), 0) AND w.id <> ${deleted}::uuid`),
  };
  expect(Object.entries(contradictions).filter(([, rows]) => rows !== 0)).toEqual([]);
  expect(await count(Prisma.sql`executions WHERE workspace_id = ${limited}::uuid AND ${HELD}`)).toBeLessThanOrEqual(
    LIMIT,
  );
});
