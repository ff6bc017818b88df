import {
  createDatabase,
  type Database,
  exportExecutionIds,
  type ExportRequest,
  findUnindexedRuns,
  indexExecutions,
  Prisma,
} from '@deckhand/db';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  runIdAt,
} from '../../harness/index.ts';

/** More than one statement reads, with a search, too. */
const RUNS = 6_000;

let db: Database;
let seed: Seed;
/** All runs, the newest first. Every third one is unfinished, every seventh one has "needle" in its trigger data. */
let runs: { id: string; startedAt: Date; finishedAt: Date | null; isNeedle: boolean }[];

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  await db.$executeRaw`
    WITH runs AS (
      INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id,
        trigger_data, created_at, dispatched_at, started_at, finished_at, deadline_at)
      SELECT ${runIdAt(Prisma.sql`at`)}, ${seed.workspaceId}::uuid, ${seed.workflowId}::uuid, ${uuidv7()}::uuid,
        (CASE WHEN i % 3 = 0 THEN 'running' ELSE 'success' END)::execution_status, 'api', 'start',
        CASE WHEN i % 7 = 0 THEN '{"found":"needle"}' ELSE '{}' END, at, at, at, CASE WHEN i % 3 > 0 THEN at END, at
      FROM (SELECT i, now() - i / 10 * interval '1 second' AS at FROM generate_series(1, ${RUNS}::int) i) made
      RETURNING id, finished_at
    )
    INSERT INTO unindexed_executions SELECT id FROM runs WHERE finished_at IS NOT NULL`;
  // Half of the finished runs are indexed.
  const unindexed = await findUnindexedRuns(db, { limit: RUNS / 3, except: [] });
  await indexExecutions(
    db,
    unindexed.map(({ id }) => id),
  );
  const rows = await db.execution.findMany({
    select: { id: true, startedAt: true, finishedAt: true, triggerData: true },
    orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
  });
  runs = rows.map(({ startedAt, triggerData, ...run }) => ({
    ...run,
    startedAt: startedAt!,
    isNeedle: triggerData!.includes('needle'),
  }));
});
afterAll(stopAll);

async function exported(request: Partial<ExportRequest> = {}): Promise<string[]> {
  const ids: string[] = [];
  const order = { sortBy: 'startedAt', sortOrder: 'desc' } as const;
  const limits = { batchSize: 200, timeoutMs: 60_000 };
  const workspaceId = seed.workspaceId;
  await exportExecutionIds(
    db,
    { userId: seed.userId, boundTo: null },
    { ...order, ...limits, ...request, workspaceId },
    (batch) => {
      ids.push(...batch);
      return Promise.resolve();
    },
  );
  return ids;
}
const idsOf = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id);
const needles = () => runs.filter(({ isNeedle }) => isNeedle);

it('has every run once, in the order of the list', async () => {
  expect(await exported()).toEqual(idsOf(runs));
  expect(await exported({ sortOrder: 'asc' })).toEqual(idsOf(runs).reverse());
});

it('has unfinished runs first when sorted by end, and last ascending', async () => {
  const descending = [...runs].sort((a, b) => {
    const [first, second] = [a, b].map(({ finishedAt }) => finishedAt?.getTime() ?? Number.MAX_SAFE_INTEGER);
    return second! - first! || (a.id < b.id ? 1 : -1);
  });
  expect(await exported({ sortBy: 'finishedAt' })).toEqual(idsOf(descending));
  expect(await exported({ sortBy: 'finishedAt', sortOrder: 'asc' })).toEqual(idsOf(descending).reverse());
});

it('finds runs by text beyond the first part, indexed or not, unfinished or not', async () => {
  expect(await exported({ search: 'needle' })).toEqual(idsOf(needles()));
  expect(await exported({ search: 'needle', sortOrder: 'asc' })).toEqual(idsOf(needles()).reverse());
  expect(await exported({ search: 'needle', sortBy: 'finishedAt' })).toHaveLength(needles().length);
  expect(await exported({ search: 'haystack' })).toEqual([]);
});

it('continues after a position', async () => {
  const { id, startedAt } = runs[1_234]!;
  const after = { id, at: startedAt };
  expect(await exported({ after })).toEqual(idsOf(runs.slice(1_235)));
  expect(await exported({ after, search: 'needle' })).toEqual(
    idsOf(runs.slice(1_235).filter(({ isNeedle }) => isNeedle)),
  );
});

it('ends at its time limit between parts', async () => {
  await expect(exported({ timeoutMs: -1 })).rejects.toThrow('the export took longer than -1 ms');
});

it('ends when its caller is not a member any more', async () => {
  const actor = { userId: uuidv7(), boundTo: null };
  const request = { workspaceId: seed.workspaceId, sortBy: 'startedAt', sortOrder: 'desc' } as const;
  const nothing = () => Promise.resolve();
  await expect(
    exportExecutionIds(db, actor, { ...request, batchSize: 200, timeoutMs: 1_000 }, nothing),
  ).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
