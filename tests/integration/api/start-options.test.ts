import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@deckhand/db';
import {
  callWithKey,
  chain,
  createHook,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let db: Database;
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ db } = instance);
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const execute = (body: object, id = workflowId) => call('POST', `/api/workflows/${id}/execute`, body);
const readRun = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;

async function start(body: object): Promise<string> {
  const { status, body: answer, text } = await execute(body);
  if (status !== 202) throw new Error(text);
  return answer.executionId;
}
async function find(query: string): Promise<string[]> {
  const { status, body, text } = await call('GET', `/api/executions?workspaceId=${instance.workspaceId}&${query}`);
  if (status !== 200) throw new Error(text);
  return body.data.map(({ id = '' }) => id);
}

describe('tags and metadata', () => {
  it('are shown by the run, its list and its export', async () => {
    const id = await start({ tags: ['shown', 'customer:42'], metadata: { order: { id: 7 }, país: 'ES' } });
    const expected = { tags: ['shown', 'customer:42'], metadata: { order: { id: 7 }, país: 'ES' } };
    expect(await readRun(id)).toMatchObject(expected);
    const list = await call(
      'GET',
      `/api/executions?workspaceId=${instance.workspaceId}&tag=shown&fields=tags,metadata`,
    );
    expect(list.body.data).toEqual([expected]);
    const csv = await call('GET', `/api/executions/export?workspaceId=${instance.workspaceId}&format=csv&tag=shown`);
    expect(csv.text).toContain(',shown customer:42,');
    expect(csv.text.trim().split('\r\n')).toHaveLength(2);
  });

  it('are empty without any, and cost no index entry', async () => {
    const id = await start({});
    expect(await readRun(id)).toMatchObject({ tags: [], metadata: {} });
    const [row] = await db.$queryRaw<object[]>`SELECT tags, metadata FROM executions WHERE id = ${id}::uuid`;
    expect(row).toEqual({ tags: null, metadata: null });
    const empty = await start({ tags: [], metadata: {} });
    expect(await readRun(empty)).toMatchObject({ tags: [], metadata: {} });
  });

  it('filter lists: each of the tags, and each of the members', async () => {
    const both = await start({ tags: ['x', 'y'], metadata: { team: 'blue', size: 3, isBig: false } });
    const one = await start({ tags: ['x'], metadata: { team: 'red', list: ['blue'] } });
    expect((await find('tag=x')).sort()).toEqual([both, one].sort());
    expect(await find('tag=x,y')).toEqual([both]);
    expect(await find('tag=x&tag=y')).toEqual([both]);
    expect(await find('tag=z')).toEqual([]);
    expect(await find('metadata[team]=blue')).toEqual([both]);
    expect(await find('metadata[size]=3&metadata[isBig]=false')).toEqual([both]);
    expect(await find('metadata[size]=3&metadata[team]=red')).toEqual([]);
    expect(await find('metadata[list]=blue')).toEqual([]);
  });

  it.each([1e21, -2.5e-7, 1.5, 12345678901234567000, true, 'e+21'])(
    'are found by the text that responses show: %s',
    async (v) => {
      const id = await start({ metadata: { v } });
      const shown = JSON.stringify((await readRun(id)).metadata.v).replaceAll('"', '');
      expect(await find(`metadata[v]=${encodeURIComponent(shown)}`)).toEqual([id]);
    },
  );

  it('are found by their indexes', async () => {
    // Runs of one workspace, each with tags and metadata of its own.
    await db.$executeRaw`
      INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, status, source, trigger_node_id, created_at,
        deadline_at, dispatched_at, finished_at, tags, metadata)
      SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
        ${instance.workspaceId}::uuid, gen_random_uuid(), gen_random_uuid(), 'success', 'api', 'start', now(), now(), now(), now(),
        ARRAY['t' || n], jsonb_build_object('a', n)
      FROM generate_series(1, 5000) n`;
    await db.$executeRaw`ANALYZE executions`;
    const plan = await db.$transaction(async (tx) => {
      const tags = await tx.$queryRaw<object[]>`EXPLAIN SELECT id FROM executions e
        WHERE e.workspace_id = ${instance.workspaceId}::uuid AND e.tags IS NOT NULL AND e.tags @> ARRAY['t7']`;
      const metadata = await tx.$queryRaw<object[]>`EXPLAIN SELECT id FROM executions e
        WHERE e.workspace_id = ${instance.workspaceId}::uuid AND e.metadata IS NOT NULL
          AND metadata_hashes(e.metadata) @> ARRAY[hashtextextended('a=7', 0)]`;
      return JSON.stringify([tags, metadata]);
    });
    expect(plan).toContain('executions_tags');
    expect(plan).toContain('executions_metadata');
    expect([await find('tag=t7'), await find('metadata[a]=7')].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('choose the runs that a bulk stop stops', async () => {
    const stopped = await start({ tags: ['batch-1'] });
    const other = await start({ tags: ['batch-2'], metadata: { batch: 2 } });
    const stop = (filter: object) =>
      call('POST', '/api/executions/stop', { workspaceId: instance.workspaceId, ...filter });
    expect((await stop({ tag: 'batch-1' })).body).toEqual({ stopped: 1 });
    expect([(await readRun(stopped)).status, (await readRun(other)).status]).toEqual(['stopped', 'pending']);
    expect((await stop({ tag: ['batch-2'], metadata: { batch: '2' } })).body).toEqual({ stopped: 1 });
  });

  it.each([
    ['tags', { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }],
    ['tags', { tags: ['a', 'a'] }],
    ['tags[0]', { tags: ['a b'] }],
    ['tags[0]', { tags: ['a,b'] }],
    ['tags[0]', { tags: ['t'.repeat(101)] }],
    ['metadata', { metadata: [] }],
    ['metadata', { metadata: { text: 'é'.repeat(8_192) } }],
    ['metadata', { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n])) }],
    ['metadata', { metadata: { '1st': 1 } }],
    ['timeoutSeconds', { timeoutSeconds: 0 }],
    ['timeoutSeconds', { timeoutSeconds: 31_536_001 }],
  ])('refuse what is not valid: %s %#', async (path, body) => {
    const { status, body: answer } = await execute(body);
    expect([status, answer.details?.[0]?.path]).toEqual([400, path]);
  });

  it('are bounded by 16 KiB of JSON', async () => {
    const text = 'x'.repeat(16_384 - '{"k":""}'.length);
    expect((await execute({ metadata: { k: text } })).status).toBe(202);
    expect((await execute({ metadata: { k: `${text}x` } })).status).toBe(400);
  });

  it('belong to what an Idempotency-Key stands for', async () => {
    const once = (body: object) =>
      instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, {
        as: instance.key,
        body,
        headers: { 'idempotency-key': 'tagged' },
      });
    const first = await once({ tags: ['once'], metadata: { n: 1 } });
    expect((await once({ metadata: { n: 1 }, tags: ['once'] })).body.executionId).toBe(first.body.executionId);
    expect((await once({ tags: ['twice'], metadata: { n: 1 } })).status).toBe(409);
  });
});

describe('changes of tags and metadata', () => {
  const patch = (id: string, body: object) => call('PATCH', `/api/executions/${id}`, body);

  it('merge members, remove those that are null, replace tags, and change the ETag', async () => {
    const id = await start({ tags: ['before'], metadata: { a: 1, b: 2 } });
    const before = await call('GET', `/api/executions/${id}`);
    const { status, body } = await patch(id, { metadata: { b: null, c: [3] } });
    expect([status, body.metadata, body.tags]).toEqual([200, { a: 1, c: [3] }, ['before']]);
    const after = await call('GET', `/api/executions/${id}`);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect((await patch(id, { tags: ['after'] })).body).toMatchObject({ tags: ['after'], metadata: { a: 1, c: [3] } });
    expect(await find('tag=after')).toEqual([id]);
    expect(await find('tag=before')).toEqual([]);
    expect((await patch(id, { tags: [], metadata: { a: null, c: null } })).body).toMatchObject({
      tags: [],
      metadata: {},
    });
  });

  it('of two callers at once are both kept', async () => {
    const id = await start({});
    const names = Array.from({ length: 20 }, (_, n) => `k${n}`);
    await Promise.all(names.map((name) => patch(id, { metadata: { [name]: true } })));
    expect(Object.keys((await readRun(id)).metadata).sort()).toEqual([...names].sort());
  });

  it('count towards the storage of the workspace', async () => {
    const id = await start({ metadata: { text: 'x'.repeat(1_000) } });
    const sizeOf = async () => Number((await db.execution.findUniqueOrThrow({ where: { id } })).storedBytes);
    const before = await sizeOf();
    expect(before).toBeGreaterThan(1_000);
    await patch(id, { metadata: { text: 'x'.repeat(3_000) } });
    expect((await sizeOf()) - before).toBe(2_000);
  });

  it('are refused if the metadata become too large or have too many members, and for other fields', async () => {
    const id = await start({ metadata: { a: 'x'.repeat(10_000) } });
    expect((await patch(id, { metadata: { b: 'x'.repeat(10_000) } })).status).toBe(400);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, n]));
    expect((await patch(id, { metadata: many })).status).toBe(400);
    expect((await patch(id, { status: 'stopped' })).status).toBe(400);
    expect((await patch(id, {})).status).toBe(400);
    expect((await readRun(id)).metadata).toEqual({ a: 'x'.repeat(10_000) });
  });

  it('are possible after the end, until the data of the run is deleted', async () => {
    const id = await start({ metadata: { a: 1 } });
    await call('POST', `/api/executions/${id}/stop`);
    expect((await patch(id, { metadata: { a: 2 } })).body.metadata).toEqual({ a: 2 });
    await call('POST', `/api/executions/${id}/redact`);
    expect((await readRun(id)).metadata).toEqual({});
    expect((await patch(id, { metadata: { a: 3 } })).body.code).toBe('INVALID_STATE');
    expect((await patch(id, { tags: ['kept'] })).body.tags).toEqual(['kept']);
  });
});

describe('the time limit of a start', () => {
  const limitOf = async (id: string) => {
    const { deadlineAt, createdAt, timeLeftMs } = await db.execution.findUniqueOrThrow({ where: { id } });
    return { seconds: (deadlineAt.getTime() - createdAt.getTime()) / 1_000, timeLeftMs };
  };

  it('replaces the one of the version, with a setting and without', async () => {
    expect(await limitOf(await start({ timeoutSeconds: 7_200 }))).toEqual({ seconds: 7_200, timeLeftMs: null });
    const limited = await createWorkflow(instance, { ...chain(), settings: { timeoutSeconds: 60 } });
    const { body } = await execute({ timeoutSeconds: 90.5 }, limited);
    expect(await limitOf(body.executionId)).toEqual({ seconds: 90.5, timeLeftMs: null });
  });
});

describe('a rerun', () => {
  it('keeps tags and metadata unless it has others', async () => {
    const id = await start({ tags: ['original'], metadata: { n: 1 }, timeoutSeconds: 100 });
    await call('POST', `/api/executions/${id}/stop`);
    const rerun = async (body: object) =>
      readRun((await call('POST', `/api/executions/${id}/rerun`, body)).body.executionId);
    expect(await rerun({})).toMatchObject({ tags: ['original'], metadata: { n: 1 } });
    expect(await rerun({ tags: ['other'], metadata: {} })).toMatchObject({ tags: ['other'], metadata: {} });
  });
});

describe('options of triggers and of workflow nodes', () => {
  it('are those of the runs that they start', async () => {
    const worker = await startTestWorker(instance);
    const child = await createWorkflow(instance, chain());
    const node = {
      id: 'child',
      type: 'workflow',
      parameters: {
        workflowId: child,
        options: {
          tags: ['child', '{{ "n-" + $trigger.n }}'],
          metadata: { n: '{{ $trigger.n }}' },
          timeoutSeconds: 50,
        },
      },
    };
    const parent = await createWorkflow(instance, chain(node));
    const { body } = await execute({ input: { n: 5 } }, parent);
    await until(async () => (await readRun(body.executionId)).status === 'success');
    const [runId = ''] = await find('tag=child');
    const run = await readRun(runId);
    expect(run).toMatchObject({ tags: ['child', 'n-5'], metadata: { n: 5 }, parentExecutionId: body.executionId });
    const { deadlineAt, createdAt } = await db.execution.findUniqueOrThrow({ where: { id: runId } });
    expect(deadlineAt.getTime() - createdAt.getTime()).toBe(50_000);

    const { body: failing } = await execute({ input: { n: 'not a tag' } }, parent);
    await until(async () => (await readRun(failing.executionId)).status === 'failed');
    expect((await readRun(failing.executionId)).error).toMatchObject({ code: 'PARAMETERS_INVALID' });
    await worker.stop();
  });

  it('are fixed in triggers', async () => {
    const options = { tags: ['hook'], metadata: { from: 'webhook' }, timeoutSeconds: 20 };
    const hook = await createHook(instance, { options });
    const { body } = await call('POST', hook.path);
    expect(await readRun(body.executionId ?? '')).toMatchObject({
      tags: ['hook'],
      metadata: { from: 'webhook' },
      source: 'webhook',
    });

    const worker = await startTestWorker(instance);
    const parameters = { cron: '* * * * * *', options: { ...options, tags: ['tick'] } };
    const nodes = [{ id: 'tick', type: 'trigger.schedule', parameters }];
    const scheduled = await createWorkflow(instance, { nodes, edges: [] });
    await call('PATCH', `/api/workflows/${scheduled}`, { status: 'active' });
    const [tick = ''] = await until(async () => {
      const ids = await find('tag=tick');
      return ids.length > 0 && ids;
    });
    await call('PATCH', `/api/workflows/${scheduled}`, { status: 'inactive' });
    expect(await readRun(tick)).toMatchObject({ tags: ['tick'], metadata: { from: 'webhook' }, source: 'schedule' });
    await worker.stop();

    const bad = { tags: ['{{ $trigger.body }}'], metadata: { text: 'x'.repeat(20_000) } };
    const { status, body: refusal } = await call('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Bad',
      definition: { nodes: [{ id: 'in', type: 'trigger.webhook', parameters: { options: bad } }], edges: [] },
    });
    expect([status, refusal.details?.[0]?.path]).toEqual([400, expect.stringContaining('parameters.options')]);
  });
});
