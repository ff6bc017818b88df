import {
  createDatabase,
  type Database,
  findApiKeys,
  listExecutionIds,
  type ListExecutionsRequest,
  readExecutions,
  readResults,
  readStates,
  readUnclaimed,
  readVisibleStates,
  Prisma,
  type StartLimits,
  type StartRequest,
  startRuns,
} from '@deckhand/db';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addPartitions,
  chain,
  createTestDatabase,
  endPartitions,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  runIdAt,
} from '../../harness/index.ts';

/** More than the number of custom plans after which PostgreSQL considers a generic one (PREPARE: 5). */
const CALLS = 6;
/** Enough partitions and runs that a plan for one partition seems cheaper than one for all. */
const PARTITIONS = 12;
const RUNS = 3_000;

let url: string;
let db: Database;
let seed: Seed;
let runIds: string[];

beforeAll(async () => {
  ({ url } = await createTestDatabase());
  const setup = createDatabase({ url, poolSize: 1 });
  stopLater({ stop: () => setup.$disconnect() });
  seed = await seedWorkflow(setup, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  await endPartitions(setup, PARTITIONS * 7);
  await addPartitions(setup, { count: PARTITIONS + 2, days: 7 });
  await setup.$executeRaw`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id,
      created_at, dispatched_at, started_at, finished_at, deadline_at)
    SELECT ${runIdAt(Prisma.sql`at`)}, ${seed.workspaceId}::uuid, ${seed.workflowId}::uuid, ${uuidv7()}::uuid, 'success', 'api',
      'start', at, at, at, at, at
    FROM (SELECT now() - i * interval '1 week' * ${PARTITIONS / RUNS}::float8 AS at FROM generate_series(1, ${RUNS}::int) i)`;
  await setup.$executeRaw`
    INSERT INTO node_runs (execution_id, node_id, status, started_at, attempts)
    SELECT e.id, n::text, 'success', e.created_at, 1 FROM executions e, generate_series(1, 4) n`;
  await setup.$executeRaw`ANALYZE executions, node_runs`;
  const rows = await setup.$queryRaw<{ id: string }[]>`SELECT id FROM executions ORDER BY id`;
  runIds = rows.map(({ id }) => id);
});
afterAll(stopAll);

beforeEach(() => {
  // One connection of its own for each test, because statements are prepared per connection.
  db = createDatabase({ url, poolSize: 1 });
});
afterEach(() => db.$disconnect());

/** Calls often enough, and returns how often the statement was planned anew, and how often not. */
async function plansOf(name: string, call: (index: number) => Promise<unknown>) {
  for (let index = 0; index < CALLS; index += 1) await call(index);
  const [plans] = await db.$queryRaw<{ custom: bigint; generic: bigint }[]>`
    SELECT custom_plans AS custom, generic_plans AS generic FROM pg_prepared_statements WHERE name LIKE ${`${name}:%`}`;
  return plans;
}
const PLANNED_ONCE = { custom: 5n, generic: BigInt(CALLS - 5) };

const actor = { userId: uuidv7(), boundTo: null };
const askedBy = (ids: readonly string[]) => ids.map((executionId) => ({ executionId, actor, isSlim: true }));

describe.each([1, 2, 100])('%i runs in one of many partitions', (size) => {
  it.each<[string, (ids: readonly string[]) => Promise<unknown>]>([
    ['executions.read', (ids) => readExecutions(db, askedBy(ids))],
    ['executions.read-states', (ids) => readStates(db, ids)],
    ['executions.read-results', (ids) => readResults(db, ids)],
    ['executions.read-visible-states', (ids) => readVisibleStates(db, askedBy(ids))],
    ['executions.read-unclaimed', (ids) => readUnclaimed(db, askedBy(ids))],
  ])('%s is not planned anew for each call', async (name, call) => {
    const from = (index: number): number => (index * 250) % (RUNS - size);
    expect(await plansOf(name, (index) => call(runIds.slice(from(index), from(index) + size)))).toEqual(PLANNED_ONCE);
  });
});

describe('lists among many partitions', () => {
  const order = { sortBy: 'startedAt', sortOrder: 'desc' } as const;
  const LISTS: readonly [string, Partial<ListExecutionsRequest>][] = [
    ['newest first', {}],
    ['oldest first', { sortOrder: 'asc' }],
    ['by creation', { sortBy: 'createdAt' }],
    ['by end', { sortBy: 'finishedAt' }],
    ['with one status', { status: ['stopped'] }],
    ['of one workflow', { workflowId: uuidv7() }],
    ['after a position', { after: { at: new Date(), id: uuidv7() } }],
    ['after an unfinished run', { sortBy: 'finishedAt', after: { at: null, id: uuidv7() } }],
  ];
  const list = (request: Partial<ListExecutionsRequest>, limit = 101) =>
    listExecutionIds(
      db,
      { userId: seed.userId, boundTo: null },
      {
        ...order,
        ...request,
        workspaceId: seed.workspaceId,
        limit,
        offset: 0,
        includeTotal: false,
      },
    );

  it.each(LISTS)('%s, are not planned anew for each call', async (_, request) => {
    expect(await plansOf('executions.list', (index) => list(request, 1 + 60 * index))).toEqual(PLANNED_ONCE);
  });

  it.each(LISTS)('%s, with a search, are not planned anew for each call', async (_, request) => {
    expect(await plansOf('search.walk', () => list({ ...request, search: 'order' }))).toEqual(PLANNED_ONCE);
  });

  it.each<[string, Partial<ListExecutionsRequest>]>([
    ['by end, of one workflow', { sortBy: 'finishedAt', workflowId: uuidv7() }],
    ['of one workflow, with one status', { workflowId: uuidv7(), status: ['failed'] }],
    ['with two statuses', { status: ['failed', 'timeout'] }],
    ['within a time', { startedAt: { gte: new Date().toISOString() } }],
  ])('%s, are planned for their values, because no index serves all of them', async (_, request) => {
    expect(await plansOf('executions.list', () => list(request))).toBeUndefined();
  });
});

it('api-keys.find is not planned anew for each call', async () => {
  expect(await plansOf('api-keys.find', () => findApiKeys(db, ['hash']))).toEqual(PLANNED_ONCE);
});

describe.each([1, 2, 100])('%i starts in one statement', (size) => {
  const limits: StartLimits = {
    checkInput: () => Promise.reject(new Error('the trigger has no schema')),
    addKey: () => Promise.reject(new Error('the workflow has no key')),
    count: () => Promise.reject(new Error('the workspace has no limit')),
  };
  const start = (more: Partial<StartRequest>) => () =>
    startRuns(
      db,
      Array.from({ length: size }, () => ({
        ...{ executionId: uuidv7(), workflowId: seed.workflowId, actor: { userId: seed.userId, boundTo: null } },
        ...{ triggerNodeId: null, mode: 'normal', source: 'api', triggerData: '{}' },
        ...more,
      })),
      limits,
    );

  it.each<[string, Partial<StartRequest>]>([
    ['by a call', {}],
    ['by the remembered URL of a webhook', { webhookSuffix: 'that-was-found-before', triggerNodeId: 'start' }],
  ])('%s are not planned anew for each call', async (_, more) => {
    expect(await plansOf('executions.accept', start(more))).toEqual(PLANNED_ONCE);
  });
});
