import {
  countHeldBack,
  countUnfinished,
  createDatabase,
  type Database,
  findDueRuns,
  findExpiredRuns,
  findOverdueRuns,
  findOwnedRuns,
  findRunsWithChangedLocks,
  listExecutionIds,
  type ListExecutionsRequest,
  listIterations,
  moveSchedules,
  Prisma,
  readExecutions,
  readOldestWaitingSeconds,
  readStates,
  releaseHeldBack,
  releaseKeys,
  type ScheduleMove,
  stopDescendants,
  stopExecutions,
} from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  type Seed,
  seedWorkflow,
  stopAll,
  stopLater,
  UNCOUNTED,
  runIdAt,
} from '../../harness/index.ts';

/*
 * Every index of the tables of runs costs each run two writes, and each plan some time. It stays only as long as one of
 * these statements uses it, by the plan that PostgreSQL chooses among many finished runs and few others, as on an
 * instance of some age.
 */

const RUNS = 6_000;

let db: Database;
let seed: Seed;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 1 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
  // One of a hundred runs is unfinished. Half of all belong to one workspace.
  await db.$executeRaw`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, execution_mode,
      trigger_node_id, trigger_data, rerun_of, parent_execution_id, created_at, dispatched_at, started_at, finished_at,
      deadline_at, claimed_dispatch, worker_id, wake_at, held_back_at, holds_slot, tags, metadata, expires_at,
      concurrency_key, concurrency_limit, holds_key)
    SELECT ${runIdAt(Prisma.sql`at`)}, CASE WHEN i / 10 % 10 < 5 THEN ${seed.workspaceId}::uuid ELSE md5((i / 10 % 10)::text)::uuid END,
      md5((i % 50)::text)::uuid, gen_random_uuid(), (CASE i % 100 WHEN 0 THEN 'running' WHEN 1 THEN 'failed' ELSE 'success' END)::execution_status,
      (CASE i % 20 WHEN 0 THEN 'schedule' ELSE 'api' END)::execution_source, (CASE i % 50 WHEN 3 THEN 'sandbox' ELSE 'normal' END)::execution_mode,
      'start', CASE WHEN i % 3 > 0 THEN '{}' END, CASE i % 10 WHEN 5 THEN gen_random_uuid() END, CASE i % 10 WHEN 6 THEN gen_random_uuid() END,
      at, at, CASE WHEN i % 300 > 0 THEN at END, CASE WHEN i % 100 > 0 THEN at END, at, CASE WHEN i % 300 = 100 THEN 0 ELSE 1 END,
      CASE WHEN i % 200 = 0 THEN gen_random_uuid() END, CASE WHEN i % 300 = 200 THEN at END, CASE WHEN i % 300 = 100 THEN at END, i % 400 = 0,
      CASE WHEN i % 50 = 7 THEN ARRAY['t' || i] END, CASE WHEN i % 50 = 8 THEN jsonb_build_object('order', i) END,
      CASE WHEN i % 300 = 0 THEN at END, CASE WHEN i % 50 = 0 THEN 'k' END, CASE WHEN i % 50 = 0 THEN 2 END,
      CASE WHEN i % 50 = 0 THEN i % 200 = 0 END
    FROM (SELECT i, now() - i * interval '1 minute' AS at FROM generate_series(1, ${RUNS}::int) i) made`;
  await db.$executeRaw`
    INSERT INTO node_runs (execution_id, node_id, status, started_at, attempts)
    SELECT e.id, n::text, 'success', e.created_at, 1 FROM executions e, generate_series(1, 4) n`;
  await db.$executeRaw`
    INSERT INTO node_iterations (execution_id, node_id, iteration, status, attempts)
    SELECT e.id, '1', n::text, 'success', 1 FROM executions e, generate_series(0, 2) n`;
  await db.$executeRaw`
    INSERT INTO execution_texts (execution_id, workspace_id, text, error, failure_group_id)
    SELECT id, workspace_id, id || ' some text of a run ' || md5(id::text), CASE status WHEN 'failed' THEN 'out of stock ' || md5(id::text) END,
      CASE status WHEN 'failed' THEN gen_random_uuid() END
    FROM executions WHERE finished_at IS NOT NULL`;
  await db.$executeRaw`VACUUM ANALYZE executions, node_runs, node_iterations, execution_texts`;
});
afterAll(stopAll);

/** Returns the indexes of the partitioned tables that the statements of a call use, by their plans. */
async function indexesOf(call: (db: Database) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const explaining = <D extends object>(target: D, explain: (query: Prisma.Sql) => Promise<unknown>): D =>
    new Proxy(target, {
      get(of, name): unknown {
        const member: unknown = Reflect.get(of, name, of);
        if (typeof member !== 'function') return member;
        if (name === '$transaction')
          return (act: (tx: Prisma.TransactionClient) => unknown) =>
            db.$transaction((tx) =>
              Promise.resolve(
                act(explaining(tx, (query) => tx.$queryRaw(query).then((rows) => plans.push(JSON.stringify(rows))))),
              ),
            );
        if (name !== '$queryRaw' && name !== '$executeRaw') return member.bind(of);
        return async (first: Prisma.Sql | TemplateStringsArray, ...values: unknown[]): Promise<unknown> => {
          const query = 'raw' in first ? Prisma.sql([...first], ...values) : first;
          await explain(Prisma.sql`EXPLAIN (FORMAT JSON) ${query}`);
          return Reflect.apply(member, of, [query]);
        };
      },
    });
  await call(explaining(db, (query) => db.$queryRaw(query).then((rows) => plans.push(JSON.stringify(rows)))));
  const names = plans.flatMap((plan) => [...plan.matchAll(/"Index Name":"([^"]+)"/g)].map(([, name]) => name!));
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT DISTINCT parent.relname AS name FROM pg_inherits i JOIN pg_class parent ON parent.oid = i.inhparent
    WHERE i.inhrelid::regclass::text = ANY (${names}::text[])`;
  return rows.map(({ name }) => name);
}

const actor = () => ({ userId: seed.userId, boundTo: null });
const list = (request: Partial<ListExecutionsRequest>) => (of: Database) =>
  listExecutionIds(of, actor(), {
    ...({ sortBy: 'startedAt', sortOrder: 'desc', limit: 101, offset: 0, includeTotal: false } as const),
    ...request,
    workspaceId: seed.workspaceId,
  });
const PAGE = { limit: 100, except: [] };
const expired = (kind: 'data' | 'run') => (of: Database) =>
  findExpiredRuns(of, { ...PAGE, kind, days: 3, graceDays: 1 });

/** A due time that starts no run. */
function missedSchedule(): ScheduleMove {
  const { workspaceId, workflowId } = seed;
  const rule = { cron: '0 * * * *', timezone: 'UTC', catchUp: false, isHeld: false, options: null };
  const nextFireAt = new Date();
  const schedule = { ...rule, workspaceId, workflowId, nodeId: 'clock', workflowVersionId: uuidv7(), nextFireAt };
  return { schedule, nextFireAt, fireAt: null, request: null };
}

const STATEMENTS: Readonly<Record<string, (of: Database) => Promise<unknown>>> = {
  executions_pkey: (of) => readStates(of, [uuidv7()]),
  executions_in_workspace: list({}),
  executions_workspace_id_created_at_id_idx: list({ sortBy: 'createdAt' }),
  executions_workspace_id_finished_at_id_idx: list({ sortBy: 'finishedAt' }),
  executions_of_workflow: list({ workflowId: uuidv7() }),
  executions_with_status: list({ status: ['failed'] }),
  executions_of_mode: list({ executionMode: ['sandbox'] }),
  executions_of_source: list({ source: ['schedule'] }),
  executions_reruns: list({ rerunOf: uuidv7() }),
  executions_parent: list({ parentExecutionId: uuidv7() }),
  executions_tags: list({ tag: ['t57'] }),
  executions_metadata: list({ metadata: { order: '58' } }),
  executions_key_order: (of) => releaseKeys(of, [{ workflowId: seed.workflowId, key: 'k' }]),
  executions_lock_changes: findRunsWithChangedLocks,
  executions_expiring: (of) => findOverdueRuns(of, { ...PAGE, graceMs: 0 }),
  executions_deadline: countUnfinished,
  executions_held: (of) => findOwnedRuns(of, uuidv7()),
  executions_unclaimed: readOldestWaitingSeconds,
  executions_wake: (of) => findDueRuns(of, PAGE),
  executions_held_back: countHeldBack,
  executions_slots: (of) => releaseHeldBack(of, [{ workspaceId: seed.workspaceId, workflowId: seed.workflowId }]),
  executions_with_data: expired('data'),
  executions_without_data: expired('run'),
  executions_repeated: expired('run'),
  executions_scheduled: (of) => moveSchedules(of, [missedSchedule()], UNCOUNTED),
  executions_unfinished_children: async (of) => {
    const executionId = await seed.accept();
    await db.stoppedParent.create({ data: { executionId } });
    await stopDescendants(of, {
      of: [executionId],
      until: performance.now() + 1_000,
      onStopped: () => Promise.resolve(),
    });
  },
  execution_texts_pkey: list({ search: 'some text' }),
  execution_texts_workspace_id_text_idx: list({ search: 'zircon quartz' }),
  execution_texts_failure_group: list({ failureGroup: uuidv7() }),
  execution_texts_error: list({ errorContains: 'zircon quartz' }),
  node_runs_pkey: (of) => readExecutions(of, [{ executionId: uuidv7(), actor: actor(), isSlim: true }]),
  node_iterations_pkey: async (of) => {
    const { id: executionId } = await db.execution.findFirstOrThrow({ where: { workspaceId: seed.workspaceId } });
    return listIterations(of, actor(), { executionId, nodeId: '1' }, { limit: 10, offset: 0, includeTotal: false });
  },
};

it('lists every index, so that a new one is justified, too', async () => {
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid IN (SELECT to_regclass(name) FROM partitioned_run_tables())`;
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(STATEMENTS).sort());
});

describe('a statement of the apps uses', () => {
  it.each(Object.entries(STATEMENTS))('%s', async (name, call) => {
    expect(await indexesOf(call)).toContain(name);
  });
});

it('a list by duration reads the runs of its range only', async () => {
  const startedAt = { gte: new Date(Date.now() - 3_600_000).toISOString() };
  const limits = { minDurationMs: 60_000, maxDurationMs: 86_400_000 };
  expect(await indexesOf(list({ ...limits, startedAt }))).toEqual(['executions_in_workspace']);
});

it('stopping all runs of a workspace reads unfinished runs only', async () => {
  const used = await indexesOf((of) =>
    stopExecutions(of, actor(), { workspaceId: seed.workspaceId }, () => Promise.resolve()),
  );
  expect(used).toContain('executions_deadline');
  expect(used).not.toContain('executions_in_workspace');
});
