import type { CreateBulkActionBody } from '@deckhand/contracts';
import {
  abortBulkAction,
  type BulkOutcome,
  createBulkAction,
  type Database,
  findBulkRuns,
  findDueBulkActions,
  performBatch,
  readBulkAction,
} from '@deckhand/db';
import { withWorkflowKey } from '@deckhand/nodes';
import { connectRedis, createRunQueue, type Redis, type RunQueue } from '@deckhand/queue';
import { createLogger, createRunCounters } from '@deckhand/runtime';
import { createBulkActions, createMaintenanceMetrics } from '@deckhand/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createRandom,
  type Seed,
  seedWorkflow,
  startStores,
  stopAll,
  stopLater,
  type Stores,
  UNCOUNTED,
  until,
} from '../../harness/index.ts';

/** More than a batch, and no multiple of one. */
const RUNS = 450;

let stores: Stores;
let redis: Redis;
let queue: RunQueue;
let seed: Seed;

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
beforeEach(async () => {
  await stores.db.bulkAction.deleteMany();
  seed = await seedWorkflow(stores.db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
});

const actor = ({ userId }: Seed = seed) => ({ userId, boundTo: null });

const mayReach = () => Promise.resolve(true);
const ignore = () => Promise.resolve();

/** The task of a worker; each belongs to one process. */
function createTask(db: Database = stores.db) {
  const registry = new Registry();
  const metrics = createMaintenanceMetrics(registry, { isLeaseHeld: () => true, clockOffsetMs: () => 0 });
  const logger = createLogger({ name: 'test', level: 'silent' });
  const runs = createRunCounters(registry);
  return {
    ...createBulkActions(
      { db, redis, queue, checkInput: UNCOUNTED.checkInput, logger, metrics, runs },
      { isIdle: () => false, mayReach },
    ),
    registry,
  };
}

const pass = (db?: Database) => createTask(db).run(new AbortController().signal);

/** Adds runs of a status to a workspace. @returns their ids. */
async function addRuns(status: string, count = RUNS, of: Seed = seed): Promise<string[]> {
  const { db } = stores;
  const id = await of.accept({ n: 1 });
  const isFinished = status !== 'pending';
  const error = status === 'failed' ? JSON.stringify({ message: 'No', nodeId: 'a', code: 'NODE_FAILED' }) : null;
  await db.$executeRaw`UPDATE executions SET status = ${status}::execution_status, error = ${error},
    finished_at = CASE WHEN ${isFinished} THEN now() END, started_at = CASE WHEN ${isFinished} THEN now() END
    WHERE id = ${id}::uuid`;
  await db.$executeRaw`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, source, trigger_node_id, trigger_data,
      created_at, dispatched_at, deadline_at, status, started_at, finished_at, error, stored_bytes)
    SELECT overlay(gen_random_uuid()::text PLACING left(first_id_of(now())::text, 13) FROM 1)::uuid, workspace_id,
      workflow_id, workflow_version_id, source, trigger_node_id, trigger_data, created_at, now(), deadline_at, status,
      started_at, finished_at, error, stored_bytes
    FROM executions, generate_series(2, ${count}) WHERE id = ${id}::uuid`;
  const rows = await db.execution.findMany({ where: { workflowId: of.workflowId, status: status as 'failed' } });
  await db.nodeRun.createMany({
    data: rows.map((row) => ({ executionId: row.id, nodeId: 'a', status: 'failed', startedAt: new Date() })),
    skipDuplicates: true,
  });
  return rows.map((row) => row.id);
}

/** Starts a bulk action as the API does. */
async function start(body: Partial<CreateBulkActionBody> & Pick<CreateBulkActionBody, 'action'>, of: Seed = seed) {
  const whole = { workspaceId: of.workspaceId, ...(body.executionIds ? {} : { filter: {} }), ...body };
  return createBulkAction(stores.db, actor(of), whole, await findBulkRuns(stores.db, actor(of), whole));
}

const read = (id: string) => readBulkAction(stores.db, actor(), id);

async function passUntilFinished(id: string, db?: Database): Promise<number> {
  for (let passes = 1; ; passes += 1) {
    await pass(db).catch((error: unknown) => {
      if (db === undefined) throw error;
    });
    const { status } = await stores.db.bulkAction.findUniqueOrThrow({ where: { id } });
    if (status !== 'running') return passes;
    if (passes > 500) throw new Error('the bulk action does not end');
  }
}

const rerunsOf = (ids: readonly string[]) =>
  stores.db.execution.findMany({ where: { rerunOf: { in: [...ids] } }, orderBy: { id: 'asc' } });

const statuses = async (ids: readonly string[]) =>
  new Set((await stores.db.execution.findMany({ where: { id: { in: [...ids] } } })).map(({ status }) => status));

/**
 * A database that a process loses at random: before a transaction, in the middle of it, or after it was committed, so
 * that nothing after it happens.
 */
function dyingDatabase(random: () => number): { db: Database; deaths: Record<'before' | 'within' | 'after', number> } {
  const deaths = { before: 0, within: 0, after: 0 };
  const died = () => Object.assign(new Error('the process died'), { code: 'P1017' });
  const db = new Proxy(stores.db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== '$transaction') return typeof member === 'function' ? member.bind(target) : member;
      return async (work: (tx: object) => Promise<unknown>) => {
        const chance = random();
        if (chance < 0.15) {
          deaths.before += 1;
          throw died();
        }
        const result = await target.$transaction(async (tx) => {
          const done = await work(tx);
          if (chance < 0.4) {
            deaths.within += 1;
            throw died();
          }
          return done;
        });
        if (chance < 0.65) {
          deaths.after += 1;
          throw died();
        }
        return result;
      };
    },
  });
  return { db, deaths };
}

describe('a bulk action', () => {
  it('acts on the runs that matched when it started, and on no other', async () => {
    const ids = await addRuns('pending');
    const action = await start({ action: 'stop', filter: { status: 'pending' } });
    expect(action).toMatchObject({ status: 'running', total: RUNS, done: 0 });
    const later = await seed.accept();
    await passUntilFinished(action.id);
    expect(await read(action.id)).toMatchObject({ status: 'finished', done: RUNS, failed: 0, skipped: 0, errors: [] });
    expect(await statuses(ids)).toEqual(new Set(['stopped']));
    expect(await statuses([later])).toEqual(new Set(['pending']));
  });

  it('reruns each run once, with its trigger data and a job', async () => {
    const ids = await addRuns('failed');
    const action = await start({
      action: 'rerun',
      filter: { status: ['failed'] },
      from: 'failedNode',
      version: 'original',
    });
    await passUntilFinished(action.id);
    const reruns = await rerunsOf(ids);
    expect(new Set(reruns.map(({ rerunOf }) => rerunOf)).size).toBe(RUNS);
    expect(reruns).toHaveLength(RUNS);
    expect(reruns[0]).toMatchObject({
      triggerData: '{"n":1}',
      rerunFromNodeId: 'a',
      source: 'rerun',
      status: 'pending',
    });
    expect(await read(action.id)).toMatchObject({ status: 'finished', done: RUNS });
  });

  it('deletes runs with their data, and records which', async () => {
    const ids = await addRuns('success');
    const action = await start({ action: 'delete' });
    await passUntilFinished(action.id);
    expect(await stores.db.execution.count({ where: { id: { in: ids } } })).toBe(0);
    expect(await stores.db.nodeRun.count({ where: { executionId: { in: ids } } })).toBe(0);
    const audit = await stores.db.auditEntry.findMany({ where: { resourceId: action.id }, orderBy: { at: 'asc' } });
    const named = audit.flatMap(({ details }) => (details as { executionIds?: string[] }).executionIds ?? []);
    expect(named.sort()).toEqual([...ids].sort());
    expect(audit.map((entry) => entry.action)).toEqual([
      'bulkAction.create',
      ...Array.from({ length: 3 }, () => 'execution.deleteMany'),
      'bulkAction.finish',
    ]);
  });

  it('counts runs that ended or are gone as skipped, and runs that it cannot act on as failed', async () => {
    const [finished = '', unfinished = ''] = [(await addRuns('success', 1))[0], (await addRuns('pending', 1))[0]];
    const foreign = await seedWorkflow(stores.db, chain());
    const executionIds = [finished, unfinished, uuidv7(), await foreign.accept()];
    const stop = await start({ action: 'stop', executionIds });
    await passUntilFinished(stop.id);
    expect(await read(stop.id)).toMatchObject({ done: 1, failed: 0, skipped: 3 });
    expect(await statuses([executionIds[3] ?? ''])).toEqual(new Set(['pending']));

    const [open = ''] = await addRuns('pending', 1);
    const rerun = await start({ action: 'rerun', executionIds: [finished, open], from: 'failedNode' });
    await passUntilFinished(rerun.id);
    const { errors, ...counts } = await read(rerun.id);
    expect(counts).toMatchObject({ done: 0, failed: 2, skipped: 0 });
    expect(errors.map(({ code }) => code)).toEqual(['INVALID_STATE', 'INVALID_STATE']);

    const remove = await start({ action: 'delete', executionIds: [finished, open] });
    await passUntilFinished(remove.id);
    expect(await read(remove.id)).toMatchObject({ done: 1, failed: 1, errors: [{ executionId: open }] });
  });

  it('reruns the active version, and the original of a workflow that has none', async () => {
    const { db } = stores;
    const { workflowId } = seed;
    const [run = ''] = await addRuns('failed', 1);
    const first = await db.workflowVersion.findFirstOrThrow({ where: { workflowId } });
    const { timeoutMs, countsHeldTime, triggerNodeIds } = first;
    const version = { workflowId, timeoutMs, countsHeldTime, triggerNodeIds, definition: first.definition ?? {} };
    const [active, latest] = [uuidv7(), uuidv7()];
    await db.workflowVersion.createMany({
      data: [
        { ...version, id: active, number: 2 },
        { ...version, id: latest, number: 3 },
      ],
    });
    await db.workflow.update({
      where: { id: workflowId },
      data: { latestVersionId: latest, activeVersionId: active },
    });
    const rerun = async () => {
      const action = await start({ action: 'rerun', executionIds: [run], version: 'active' });
      expect(action.version).toBe('active');
      await passUntilFinished(action.id);
      expect(await read(action.id)).toMatchObject({ done: 1, errors: [] });
      return (await rerunsOf([run])).at(-1)?.workflowVersionId;
    };
    expect(await rerun()).toBe(active);
    await db.workflow.update({ where: { id: workflowId }, data: { activeVersionId: null } });
    expect(await rerun()).toBe(first.id);
  });

  it.each(['stop', 'rerun', 'delete'] as const)(
    '%s: nothing is lost or done twice when its workers die',
    async (kind) => {
      const ids = await addRuns(kind === 'stop' ? 'pending' : 'failed');
      const action = await start({ action: kind });
      const { db, deaths } = dyingDatabase(createRandom());
      await passUntilFinished(action.id, db);
      expect(deaths.within + deaths.after).toBeGreaterThan(0);
      const after = await read(action.id);
      expect(after).toMatchObject({ status: 'finished', total: RUNS, done: RUNS, failed: 0, skipped: 0 });
      expect(await stores.db.bulkActionRun.count()).toBe(0);
      if (kind === 'stop') {
        expect(await statuses(ids)).toEqual(new Set(['stopped']));
        const epochs = await stores.db.execution.groupBy({ by: ['epoch'], where: { id: { in: ids } } });
        expect(epochs).toEqual([{ epoch: 1 }]);
      } else if (kind === 'rerun') {
        const reruns = await rerunsOf(ids);
        expect(reruns.map(({ rerunOf }) => rerunOf).sort()).toEqual([...ids].sort());
      } else {
        expect(await stores.db.execution.count({ where: { id: { in: ids } } })).toBe(0);
      }
    },
  );

  it('is carried out once by two workers at the same time', async () => {
    const ids = await addRuns('failed');
    const action = await start({ action: 'rerun' });
    while ((await read(action.id)).status === 'running') await Promise.all([pass(), pass(), pass()]);
    expect((await rerunsOf(ids)).map(({ rerunOf }) => rerunOf).sort()).toEqual([...ids].sort());
  });

  it('acts on no run once it is aborted', async () => {
    const ids = await addRuns('pending');
    const action = await start({ action: 'stop', ratePerSecond: 10 });
    const [due] = await findDueBulkActions(stores.db, { after: undefined, limit: 1 });
    await pass();
    expect(await abortBulkAction(stores.db, actor(), action.id)).toMatchObject({ status: 'aborted', done: 10 });
    await stores.db.$executeRaw`UPDATE bulk_actions SET next_batch_at = now() - interval '1 minute'`;
    await pass();
    // A worker that found the action before it was aborted.
    if (due) await performBatch(stores.db, due, ids, { ...UNCOUNTED, mayReach }, ignore);
    expect(await read(action.id)).toMatchObject({ status: 'aborted', done: 10 });
    expect(await stores.db.execution.count({ where: { id: { in: ids }, status: 'stopped' } })).toBe(10);
    expect(await stores.db.bulkActionRun.count()).toBe(0);
  });

  it('keeps to its rate', async () => {
    await addRuns('pending');
    const action = await start({ action: 'stop', ratePerSecond: 40 });
    await pass();
    await pass();
    expect(await read(action.id)).toMatchObject({ done: 40, status: 'running' });
  });

  it('waits for limits of the workspace, and fails no run because of them', async () => {
    await addRuns('failed');
    const { db } = stores;
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { executionsPerMinute: 100 } });
    const action = await start({ action: 'rerun' });
    await pass();
    expect(await read(action.id)).toMatchObject({ done: 100, failed: 0, blockedBy: 'workspace_rate_limited' });
    await db.workspace.update({
      where: { id: seed.workspaceId },
      data: { executionsPerMinute: null, storageQuotaBytes: 1, storedBytes: 1 },
    });
    await db.$executeRaw`UPDATE bulk_actions SET next_batch_at = now()`;
    await pass();
    expect(await read(action.id)).toMatchObject({ done: 100, failed: 0, blockedBy: 'workspace_over_quota' });
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { storageQuotaBytes: null } });
    await db.$executeRaw`UPDATE bulk_actions SET next_batch_at = now()`;
    await passUntilFinished(action.id);
    expect(await read(action.id)).toMatchObject({ done: RUNS, failed: 0, blockedBy: null });
  });

  it('counts no rerun towards the limit of runs a minute that something else refuses', async () => {
    await addRuns('failed', 3);
    const { db } = stores;
    const where = { id: seed.workspaceId };
    await db.workspace.update({ where, data: { executionsPerMinute: 3, storageQuotaBytes: 1, storedBytes: 1 } });
    const action = await start({ action: 'rerun' });
    await pass();
    expect(await read(action.id)).toMatchObject({ done: 0, blockedBy: 'workspace_over_quota' });
    await db.workspace.update({ where, data: { storageQuotaBytes: null } });
    await db.$executeRaw`UPDATE bulk_actions SET next_batch_at = now()`;
    await pass();
    expect(await read(action.id)).toMatchObject({ status: 'finished', done: 3, failed: 0 });
  });

  it('fails when the person who started it may no longer change runs, or the key was revoked', async () => {
    const ids = await addRuns('pending');
    const { db } = stores;
    const action = await start({ action: 'stop' });
    await db.membership.updateMany({ where: { userId: seed.userId }, data: { role: 'viewer' } });
    await pass();
    expect(await db.bulkAction.findUniqueOrThrow({ where: { id: action.id } })).toMatchObject({
      status: 'failed',
      done: 0,
    });
    await db.membership.updateMany({ where: { userId: seed.userId }, data: { role: 'editor' } });
    const byKey = await start({ action: 'stop' });
    const apiKey = { id: uuidv7(), userId: seed.userId, name: 'K', keyPrefix: 'dk_', keyHash: uuidv7() };
    await db.apiKey.create({ data: { ...apiKey, revokedAt: new Date() } });
    await db.bulkAction.update({ where: { id: byKey.id }, data: { apiKeyId: apiKey.id } });
    await pass();
    expect(await db.bulkAction.findUniqueOrThrow({ where: { id: byKey.id } })).toMatchObject({
      status: 'failed',
      done: 0,
    });
    expect(await statuses(ids)).toEqual(new Set(['pending']));
  });

  it('settles a run that it fails at even alone, and acts on the others', async () => {
    const ids = await addRuns('failed', 30);
    const bad = ids[17] ?? '';
    await stores.db.$executeRaw`UPDATE executions SET trigger_data = repeat('x', 9) WHERE id = ${bad}::uuid`;
    await stores.db
      .$executeRaw`ALTER TABLE executions ADD CONSTRAINT bad_run CHECK (rerun_of IS NULL OR trigger_data <> 'xxxxxxxxx')`;
    const action = await start({ action: 'rerun' });
    await passUntilFinished(action.id);
    await stores.db.$executeRaw`ALTER TABLE executions DROP CONSTRAINT bad_run`;
    expect(await read(action.id)).toMatchObject({
      status: 'finished',
      done: 29,
      failed: 1,
      errors: [{ executionId: bad, code: 'INTERNAL' }],
    });
  });

  it('leaves reruns to later batches if finding the keys of their workflow takes long', async () => {
    const ids = await addRuns('failed', 5);
    const { workflowId } = seed;
    const concurrency = { key: '{{ $trigger.n }}' };
    await stores.db.workflowVersion.updateMany({ where: { workflowId }, data: { concurrency } });
    const action = await start({ action: 'rerun' });
    const [due] = await findDueBulkActions(stores.db, { after: undefined, limit: 1 });
    if (!due) throw new Error('the action is not due');
    const slowly: typeof withWorkflowKey = (...given) => {
      const end = performance.now() + 400;
      while (performance.now() < end);
      return withWorkflowKey(...given);
    };
    let batches = 0;
    for (; (await read(action.id)).status === 'running'; batches += 1)
      await performBatch(stores.db, due, ids, { ...UNCOUNTED, addKey: slowly, mayReach }, ignore);
    expect(batches).toBeGreaterThan(1);
    expect((await rerunsOf(ids)).map(({ concurrencyKey }) => concurrencyKey)).toEqual(ids.map(() => '1'));
  });

  it('reports reruns that were started although a later attempt for others fails', async () => {
    const [plain = '', keyed = ''] = await addRuns('failed', 2);
    const { workflowId } = seed;
    const limitedId = uuidv7();
    const changes = JSON.stringify({ id: limitedId, number: 2, concurrency: { key: '{{ $trigger.n }}' } });
    await stores.db.$executeRaw`INSERT INTO workflow_versions
      SELECT (jsonb_populate_record(v, ${changes}::jsonb)).* FROM workflow_versions v WHERE workflow_id = ${workflowId}::uuid`;
    await stores.db.execution.update({ where: { id: keyed }, data: { workflowVersionId: limitedId } });
    await start({ action: 'rerun', version: 'original' });
    const [due] = await findDueBulkActions(stores.db, { after: undefined, limit: 1 });
    if (!due) throw new Error('the action is not due');
    const addKey = () => Promise.reject(new Error('no key'));
    const outcomes: BulkOutcome[] = [];
    const report = (outcome: BulkOutcome) => Promise.resolve(void outcomes.push(outcome));
    const checks = { ...UNCOUNTED, addKey, mayReach };
    await expect(performBatch(stores.db, due, [plain, keyed], checks, report)).rejects.toThrow('no key');
    const [rerun] = await rerunsOf([plain, keyed]);
    expect(outcomes).toMatchObject([{ done: [plain], startedIds: [rerun?.id], pending: [keyed] }]);
  });

  it('leaves a locked run for a later batch', async () => {
    const [id = ''] = await addRuns('success', 1);
    const action = await start({ action: 'delete' });
    await stores.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM executions WHERE id = ${id}::uuid FOR UPDATE`;
      await pass();
      expect(await read(action.id)).toMatchObject({ status: 'running', done: 0 });
    });
    await stores.db.$executeRaw`UPDATE bulk_actions SET next_batch_at = now()`;
    await pass();
    expect(await read(action.id)).toMatchObject({ status: 'finished', done: 1 });
  });
});

describe('bulk actions of several workspaces', () => {
  it('get a batch each before one gets its second, however many a workspace has', async () => {
    const other = await seedWorkflow(stores.db, chain());
    await addRuns('pending', 450);
    await addRuns('pending', 600, other);
    for (let i = 0; i < 3; i += 1) await start({ action: 'stop' });
    const one = await start({ action: 'stop' }, other);
    const doneOfOne = async () => (await stores.db.bulkAction.findUniqueOrThrow({ where: { id: one.id } })).done;
    let left = 0;
    let stop = new AbortController();
    const task = createTask(
      onTransaction(() => {
        left -= 1;
        if (left === 0) stop.abort();
      }),
    );
    /** Makes a pass that ends after so many batches. */
    const passOf = (batches: number): Promise<void> => {
      left = batches;
      stop = new AbortController();
      return task.run(stop.signal);
    };
    await passOf(1);
    expect(await doneOfOne()).toBe(0);
    // The next pass continues with the next workspace.
    await passOf(1);
    expect(await doneOfOne()).toBe(200);
    await passOf(2);
    expect(await doneOfOne()).toBe(400);
  });

  it('are limited in number', async () => {
    await addRuns('pending', 2);
    for (let i = 0; i < 5; i += 1) await start({ action: 'stop' });
    await expect(start({ action: 'stop' })).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });
});

/** The database, which reports each transaction that was committed. */
function onTransaction(onCommit: () => void): Database {
  return new Proxy(stores.db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== '$transaction') return typeof member === 'function' ? member.bind(target) : member;
      return async (work: (tx: object) => Promise<unknown>) => {
        const result = await target.$transaction(work);
        onCommit();
        return result;
      };
    },
  });
}
