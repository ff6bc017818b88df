import { deleteRunsOfDeletedWorkspaces, foldStorageChanges } from '@deckhand/db';
import { openOutputStore, OutputGoneError, OutputSettings } from '@deckhand/outputs';
import { connectRedis, type Redis } from '@deckhand/queue';
import { createLogger, readSettings } from '@deckhand/runtime';
import { createMaintenanceMetrics, createWorkspaceDeletion } from '@deckhand/worker';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import Type from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import {
  type Call,
  chain,
  digestTables,
  type Instance,
  type Seed,
  seedWorkflow,
  startInstance,
  startStores,
  startTestWorker,
  stopAll,
  stopLater,
  type Stores,
  until,
} from '../../harness/index.ts';

afterAll(stopAll);

/**
 * Tables that keep ids of a deleted workspace: who deleted it, that it was deleted, and webhook URLs that are never
 * assigned again.
 */
const KEPT = ['audit_log', 'deleted_workspaces', 'webhook_suffixes'];

/** Rows with one of the ids in a column of identifiers, by table; tables without any are omitted. */
async function rowsNaming({ db }: Stores, ids: readonly string[]): Promise<Record<string, number>> {
  const columns = await db.$queryRaw<{ table: string; column: string }[]>`
    SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'uuid'`;
  const found: Record<string, number> = {};
  for (const { table, column } of columns) {
    if (KEPT.includes(table)) continue;
    const [row] = await db.$queryRawUnsafe<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM "${table}" WHERE "${column}" = ANY ($1::uuid[])`,
      ids,
    );
    if (row && row.count > 0) found[table] = row.count;
  }
  return found;
}

/** Omits the changes of the storage in use, which a worker adds up and deletes at any time. */
const withoutChanges = ({ storage_changes: _, ...counts }: Record<string, number>) => counts;

describe('a workspace that is deleted', () => {
  /** More than 64 KiB, which is stored as a large output. */
  const LARGE = 'a word '.repeat(20_000);
  let instance: Instance;

  beforeAll(async () => {
    instance = await startInstance();
    await startTestWorker(instance);
  });

  const call: Call<[body?: unknown, headers?: Record<string, string>]> = (method, path, body, headers = {}) =>
    instance.gateway.call(method, path, { as: instance.session, headers, ...(body === undefined ? {} : { body }) });

  async function done<Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body?: unknown,
    headers?: Record<string, string>,
  ) {
    const answer = await call(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  }

  const definition = {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'hook', type: 'trigger.webhook', parameters: {} },
      { id: 'each', type: 'loop', parameters: { items: '{{ [1, 2] }}' } },
      { id: 'it', type: 'set', parameters: { fields: { item: '{{ $loop.item }}' } } },
      { id: 'echo', type: 'set', parameters: { fields: { said: '{{ $trigger.word }}' } } },
      { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } },
      { id: 'event', type: 'trigger.event', parameters: { name: 'order.paid' } },
      { id: 'wait', type: 'wait.event', parameters: { name: 'order.paid', key: 'none' } },
    ],
    edges: [
      { source: 'start', target: 'wait' },
      { source: 'start', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'it' },
      { source: 'start', target: 'echo' },
      { source: 'echo', target: 'ask' },
      { source: 'hook', target: 'each' },
    ],
  };

  /** Fills a workspace: finished and waiting runs, a large output, a webhook request, a key. @returns its ids. */
  async function fill(workspaceId: string): Promise<string[]> {
    const workflow = await done('POST', '/api/workflows', { workspaceId, name: 'A', definition });
    await done('PATCH', `/api/workflows/${workflow.id}`, { status: 'active' });
    const path = `/api/workflows/${workflow.id}/execute`;
    const start = async () =>
      (await done('POST', path, { input: { word: LARGE } }, { 'idempotency-key': uuidv7() })).executionId;
    const [stopped, waiting] = [await start(), await start()];
    for (const id of [stopped, waiting]) {
      const read = () => call('GET', `/api/executions/${id}`);
      await until(async () => (await read()).body.status === 'waiting_for_input', 'the question');
    }
    await done('POST', `/api/executions/${stopped}/stop`);
    const { suffix } = await instance.db.webhook.findFirstOrThrow({ where: { workflowId: workflow.id } });
    await call('POST', `/webhook/${suffix}`, {});
    await done('POST', '/api/events', { workspaceId, name: 'order.paid' });
    await until(() => instance.db.webhookDelivery.findFirst({ where: { workflowId: workflow.id } }), 'the log');
    await until(() => instance.db.executionText.findFirst({ where: { executionId: stopped } }), 'its text');
    const read = () => instance.db.execution.findMany({ where: { workspaceId } });
    const settled = (status: string) => !['pending', 'running'].includes(status);
    const all = async () => (await read()).filter(({ status }) => settled(status)).length === 4;
    await until(all, 'the runs of the request and of the event');
    const ids = (await read()).map(({ id }) => id);
    // Maintenance indexes the texts of runs after they end.
    const isIndexed = async () => !('unindexed_executions' in (await rowsNaming(instance, ids)));
    await until(isIndexed, 'the index of the texts');
    return [workspaceId, workflow.id, ...ids];
  }

  it('takes its runs, texts, outputs, keys and requests along, and nothing of another workspace', async () => {
    const gone = await done('POST', '/api/workspaces', { name: 'Gone' });
    const [ids, otherIds] = [await fill(gone.id), await fill(instance.workspaceId)];
    const [before, others] = [await rowsNaming(instance, ids), await rowsNaming(instance, otherIds)];
    for (const table of [
      'executions',
      'node_runs',
      'node_iterations',
      'waits',
      'large_outputs',
      'execution_texts',
      'events',
      'event_triggers',
    ])
      expect(before).toHaveProperty(table);
    expect(before).toMatchObject({ idempotency_keys: 2, webhook_deliveries: 1 });

    expect((await call('DELETE', `/api/workspaces/${gone.id}`)).status).toBe(204);
    expect((await call('GET', `/api/executions/${ids.at(-1)}`)).status).toBe(404);
    await until(async () => Object.keys(await rowsNaming(instance, ids)).length === 0, 'the end of all that it held');
    expect(withoutChanges(await rowsNaming(instance, otherIds))).toEqual(withoutChanges(others));
  });
});

describe('the task that deletes them', () => {
  let stores: Stores;
  let redis: Redis;

  beforeAll(async () => {
    stores = await startStores();
    redis = connectRedis(stores.redis.url, { role: 'producer' });
    await until(() => redis.status === 'ready');
    stopLater({
      stop() {
        redis.disconnect();
        return Promise.resolve();
      },
    });
  });

  /** The task of a worker; each belongs to one process. */
  function createTask() {
    const metrics = createMaintenanceMetrics(new Registry(), { isLeaseHeld: () => true, clockOffsetMs: () => 0 });
    const logger = createLogger({ name: 'test', level: 'silent' });
    return createWorkspaceDeletion({ db: stores.db, redis, logger, metrics });
  }

  /** A workspace with only runs left. */
  async function seedDeleted(runs: number): Promise<Seed> {
    const seed = await seedWorkflow(stores.db, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    const id = await seed.accept();
    await stores.db.$executeRaw`
      INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, source, trigger_node_id, trigger_data,
        created_at, dispatched_at, deadline_at)
      SELECT overlay(gen_random_uuid()::text PLACING left(first_id_of(now())::text, 13) FROM 1)::uuid, workspace_id, workflow_id, workflow_version_id, source, trigger_node_id, trigger_data,
        created_at, now(), deadline_at
      FROM executions, generate_series(2, ${runs}) WHERE id = ${id}::uuid`;
    const { workspaceId, workflowId } = seed;
    await stores.db.workspace.delete({ where: { id: workspaceId } });
    await stores.db.deletedWorkspace.create({ data: { workspaceId, workflowIds: [workflowId] } });
    return seed;
  }

  const countRuns = ({ workspaceId }: Seed) => stores.db.execution.count({ where: { workspaceId } });
  const pass = (signal = new AbortController().signal) => createTask().run(signal);

  it('works in batches, and another worker continues where one died', async () => {
    const seed = await seedDeleted(450);
    await pass(AbortSignal.abort());
    expect(await countRuns(seed)).toBe(250);
    await pass(AbortSignal.abort());
    await pass();
    expect(await countRuns(seed)).toBe(0);
  });

  it('skips a run that somebody holds, and takes it the next time', async () => {
    const seed = await seedDeleted(3);
    await stores.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM executions WHERE workspace_id = ${seed.workspaceId}::uuid ORDER BY id LIMIT 1 FOR UPDATE`;
      await pass();
      expect(await countRuns(seed)).toBe(1);
    });
    await pass();
    expect(await countRuns(seed)).toBe(0);
  });

  it('leaves workspaces alone that are not deleted', async () => {
    const seed = await seedWorkflow(stores.db, chain());
    await seed.accept();
    const before = await digestTables(stores.db);
    await pass();
    const living = await stores.db.execution.findMany({ where: { workspaceId: seed.workspaceId } });
    expect(
      await deleteRunsOfDeletedWorkspaces(
        stores.db,
        living.map(({ id }) => id),
      ),
    ).toEqual([]);
    const { deleted_workspaces: _, ...rest } = await digestTables(stores.db);
    expect(before).toMatchObject(rest);
  });

  it('takes what comes late, and forgets the workspace an hour later, once nothing is left', async () => {
    const seed = await seedDeleted(1);
    const { workspaceId, workflowId } = seed;
    await pass();
    expect(await countRuns(seed)).toBe(0);
    const executionId = uuidv7();
    const outputs = await openOutputStore(readSettings(Type.Object(OutputSettings), {}), stores.db);
    await expect(outputs.put(executionId, '"late"')).rejects.toThrow(OutputGoneError);
    await stores.db.executionText.create({ data: { executionId, workspaceId, text: 'late' } });
    const createdAt = new Date();
    await stores.db.idempotencyKey.create({ data: { workflowId, key: 'late', bodyHash: '', executionId, createdAt } });
    await pass();
    await foldStorageChanges(stores.db, 100);
    expect(await rowsNaming(stores, [workspaceId, workflowId, executionId])).toEqual({});
    expect(await stores.db.deletedWorkspace.count({ where: { workspaceId } })).toBe(1);
    await stores.db.deletedWorkspace.update({
      where: { workspaceId },
      data: { deletedAt: new Date(Date.now() - 7_200_000) },
    });
    await pass();
    expect(await stores.db.deletedWorkspace.count({ where: { workspaceId } })).toBe(0);
  });
});
