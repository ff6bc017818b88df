import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  callWithKey,
  chain,
  createKey,
  createWorkflow,
  expectWithin,
  type Gateway,
  type Instance,
  itInTime,
  promised,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let gateway: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  ({ gateway } = instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const execute = (workflowId: string, body?: unknown) => call('POST', `/api/workflows/${workflowId}/execute`, body);
const read = (id: string, query = '') => call('GET', `/api/executions/${id}${query}`);
const simple = chain({ id: 'a', type: 'set', parameters: { fields: { n: '{{ $trigger.n }}' } } });

async function withWorker(act: () => Promise<void>): Promise<void> {
  // Redis is killed before.
  const worker = await startTestWorker(instance, { mayRecover: true });
  try {
    await act();
  } finally {
    await worker.stop();
  }
}

const ended = (id: string) =>
  until(async () => {
    const { body } = await read(id);
    return ['success', 'failed', 'stopped', 'timeout'].includes(body.status) ? body : undefined;
  });

describe('execute', () => {
  it('202 without a worker: warns, stays pending, and runs once one starts', async () => {
    const id = await createWorkflow(instance, simple);
    const { status, body } = await execute(id, { input: { n: 7 } });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      executionId: expect.any(String),
      message: expect.any(String),
      workers: { live: 0, consuming: 0 },
    });
    expect(body.warning).toEqual(expect.any(String));
    const pending = await read(body.executionId);
    expect(pending.body).toMatchObject({ status: 'pending', source: 'api', executionMode: 'normal', startedAt: null });
    expect(pending.body.progress).toMatchObject({ start: { status: 'pending' }, a: { status: 'pending' } });
    await withWorker(async () => {
      const run = await ended(body.executionId);
      expect(run).toMatchObject({
        status: 'success',
        error: null,
        data: { trigger: { n: 7 }, triggerNodeId: 'start', approvals: [] },
      });
      expect(run.progress.a).toMatchObject({ status: 'success', output: { n: 7 }, attempts: 1 });
      await until(async () => (await execute(id)).body.workers.consuming === 1, 'the worker to count');
      expect((await execute(id)).body.warning).toBeUndefined();
    });
  });

  it('202 without a body, with an empty one and with {}: each starts a run', async () => {
    const id = await createWorkflow(instance, simple);
    const answers = [
      await execute(id),
      await gateway.call('POST', `/api/workflows/${id}/execute`, { as: instance.key, body: '' }),
      await execute(id, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(3);
  });

  it.each([
    ['an unknown field', { inputs: {} }, 'inputs'],
    ['an unknown mode', { executionMode: 'fast' }, 'executionMode'],
    ['an input that is not an object', { input: [1] }, 'input'],
    ['a body that is null', null, ''],
    ['an unknown trigger', { triggerNodeId: 'ghost' }, 'triggerNodeId'],
    ['a node that is not a trigger', { triggerNodeId: 'a' }, 'triggerNodeId'],
  ])('400: %s, and no run is made', async (_what, body, path) => {
    const id = await createWorkflow(instance, simple);
    const before = await instance.db.execution.count();
    const answer = await execute(id, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.details?.map((issue) => issue.path)).toEqual([path]);
    expect(await instance.db.execution.count()).toBe(before);
  });

  it('404 for no workflow, 409 for one that was never saved, 413 over quota', async () => {
    expect((await execute('01a1fb35-e8df-7352-8660-75a19a555603')).status).toBe(404);
    const unsaved = await createWorkflow(instance);
    expect(await execute(unsaved)).toMatchObject({ status: 409, body: { code: 'NO_ACTIVE_VERSION' } });
    const saved = await createWorkflow(instance, simple);
    await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storageQuotaBytes: 0n } });
    expect(await execute(saved)).toMatchObject({ status: 413, body: { code: 'workspace_over_quota' } });
    await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storageQuotaBytes: null } });
  });

  it('runs the latest version, the active one, or one by its id, and so does a rerun, or the original one', async () => {
    const valued = (n: number) => chain({ id: 'a', type: 'set', parameters: { fields: { n } } });
    const id = await createWorkflow(instance, valued(1));
    const unset = await execute(id, { version: 'active' });
    expect([unset.status, unset.body.code]).toEqual([409, 'INVALID_STATE']);
    const workflow = (await call('PATCH', `/api/workflows/${id}`, { status: 'active' })).body;
    const first = workflow.activeVersionId!;
    const second: string = (await call('POST', `/api/workflows/${id}/versions`, { definition: valued(2) })).body
      .workflowVersionId;
    const versionOf = async ({ status, body }: { status: number; body: { executionId: string } }) => {
      expect(status).toBe(202);
      return (await read(body.executionId)).body.workflowVersionId;
    };
    expect(await versionOf(await execute(id))).toBe(second);
    expect(await versionOf(await execute(id, { version: 'latest' }))).toBe(second);
    const active = await execute(id, { version: 'active' });
    expect(await versionOf(active)).toBe(first);
    expect(await versionOf(await execute(id, { version: first.toUpperCase() }))).toBe(first);
    const other = await createWorkflow(instance, valued(3));
    const { latestVersionId } = (await call('GET', `/api/workflows/${other}`)).body;
    for (const version of [latestVersionId, 'original', 'newest']) {
      const refused = await execute(id, { version });
      expect([refused.status, refused.body.details?.[0]?.path]).toEqual([400, 'version']);
    }
    await call('POST', '/api/executions/stop', { workspaceId: instance.workspaceId, all: true });
    const rerun = (body: object) => call('POST', `/api/executions/${active.body.executionId}/rerun`, body);
    expect(await versionOf(await rerun({}))).toBe(second);
    expect(await versionOf(await rerun({ version: 'original' }))).toBe(first);
    expect(await versionOf(await rerun({ version: 'active' }))).toBe(first);
    expect(await versionOf(await rerun({ version: second }))).toBe(second);
    expect((await rerun({ version: latestVersionId })).status).toBe(400);
  });

  it('403 for a viewer and for a key without the scope', async () => {
    const id = await createWorkflow(instance, simple);
    const key = await createKey(gateway, instance.session, { preset: 'read-only' });
    expect((await gateway.call('POST', `/api/workflows/${id}/execute`, { as: key })).status).toBe(403);
    await instance.db.membership.updateMany({ where: { workspaceId: instance.workspaceId }, data: { role: 'viewer' } });
    expect(await execute(id)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    await instance.db.membership.updateMany({ where: { workspaceId: instance.workspaceId }, data: { role: 'owner' } });
  });

  itInTime('503 while Redis is down: the run is named and failed; the API recovers by itself', async () => {
    const id = await createWorkflow(instance, simple);
    await instance.redis.kill();
    const sentAt = performance.now();
    const { status, body } = await execute(id);
    const tookMs = performance.now() - sentAt;
    expect([status, body.code]).toEqual([503, 'QUEUE_UNAVAILABLE']);
    expect((await read(body.executionId)).body).toMatchObject({
      status: 'failed',
      error: { code: 'QUEUE_UNAVAILABLE' },
    });
    expect((await gateway.call('GET', '/readyz')).status).toBe(503);
    await instance.redis.restart();
    await until(async () => (await execute(id)).status === 202, 'a run to be accepted again');
    expect((await gateway.call('GET', '/readyz')).status).toBe(200);
    expectWithin(promised('Redis is down'), tookMs);
  });
});

describe('reading a run', () => {
  it('slim leaves outputs out; large ones are fetched by themselves, and iterations one by one', async () => {
    const big = 'x'.repeat(70_000);
    const id = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'big', type: 'set', parameters: { fields: { big } } },
        { id: 'each', type: 'loop', parameters: { items: [1, 2, 3] } },
        { id: 'double', type: 'set', parameters: { fields: { n: '{{ $loop.item * 2 }}' } } },
        { id: 'never', type: 'set', parameters: { fields: {} } },
        { id: 'end', type: 'terminal', parameters: { body: '{{ $nodes.each.output }}' } },
      ],
      edges: [
        { source: 'start', target: 'big' },
        { source: 'big', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'double' },
        { source: 'each', sourceHandle: 'done', target: 'end' },
      ],
    });
    await withWorker(async () => {
      const { body } = await execute(id);
      const run = await ended(body.executionId);
      expect(run.result).toMatchObject({ body: [{ n: 2 }, { n: 4 }, { n: 6 }], statusCode: 200 });
      expect(run.progress.big).toMatchObject({ outputOmitted: true, outputBytes: 70_010 });
      expect(run.progress.double).toMatchObject({ iterations: 3, status: 'success' });
      expect(run.progress.never!.status).toBe('skipped');
      expect((await read(run.id, '?slim=true')).text).not.toContain('"output":');

      const output = (nodeId: string, query = '') =>
        call('GET', `/api/executions/${run.id}/nodes/${nodeId}/output${query}`);
      expect((await output('big')).body.output).toEqual({ big });
      expect((await output('double', '?iteration=1')).body).toEqual({
        nodeId: 'double',
        iteration: '1',
        status: 'success',
        output: { n: 4 },
      });
      expect((await output('double')).body.iteration).toBe('2');
      expect((await output('double', '?iteration=3')).status).toBe(404);
      expect((await output('big', '?iteration=0')).status).toBe(404);
      expect((await output('ghost')).status).toBe(404);
      expect((await output('never')).status).toBe(404);
      expect((await output('double', '?iteration=x')).status).toBe(400);
    });
  });

  it('leaves all outputs out where those that are not large are too many bytes together', async () => {
    const { body } = await execute(await createWorkflow(instance, simple));
    const executionId: string = body.executionId;
    // 300 outputs of 60,000 bytes: none is large by itself.
    await instance.db.$executeRaw`
      INSERT INTO node_runs (execution_id, node_id, status, attempts, started_at, finished_at, output, output_bytes)
      SELECT ${executionId}::uuid, 'n' || n, 'success', 1, now(), now(), '"' || repeat('x', 59998) || '"', 60000
      FROM generate_series(1, 300) n`;
    await instance.db.execution.update({ where: { id: executionId }, data: { storedBytes: 18_000_000 } });
    const shown = async () => (await read(executionId)).body.progress.n7;
    expect(await shown()).toMatchObject({ status: 'success', outputBytes: 60_000, outputOmitted: true });
    expect((await call('GET', `/api/executions/${executionId}/nodes/n7/output`)).body.output).toHaveLength(59_998);
    await instance.db.$executeRaw`DELETE FROM node_runs WHERE execution_id = ${executionId}::uuid AND node_id > 'n7'`;
    expect((await shown())!.output).toHaveLength(59_998);
  });

  it('slim leaves a result above 64 KiB out and says so; it is read by itself', async () => {
    const end = (chars: number) => ({ id: 'end', type: 'terminal', parameters: { body: 'x'.repeat(chars) } });
    await withWorker(async () => {
      const large = (await execute(await createWorkflow(instance, chain(end(70_000))))).body.executionId;
      await ended(large);
      expect((await read(large, '?slim=true')).body).toMatchObject({ result: null, resultOmitted: true });
      const streamed = (await read(`${large}/events`)).text;
      expect([streamed.includes('"resultOmitted":true'), streamed.length < 70_000]).toEqual([true, true]);
      const { result, ...whole } = (await read(large)).body;
      expect([result, whole.resultOmitted]).toMatchObject([{ body: 'x'.repeat(70_000) }, undefined]);
      expect((await read(`${large}/result`)).body).toEqual({ executionId: large, result });
      const small = (await execute(await createWorkflow(instance, chain(end(10))))).body.executionId;
      await ended(small);
      expect((await read(small, '?slim=true')).body.result).toMatchObject({ body: 'x'.repeat(10) });
    });
  });

  it('counts the iterations of a node by status, lists them, and shows the error that ended the run', async () => {
    const each = { id: 'each', type: 'loop', parameters: { items: [1, 2, 3, 4, 5], concurrency: 5 } };
    const check = { id: 'check', type: 'code', parameters: { source: 'return $loop.item % 2 ? missing : 1' } };
    const edges = [
      { source: 'start', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'check' },
    ];
    const run = async (onError: string) => {
      const definition = { nodes: [{ id: 'start', type: 'trigger.manual' }, each, { ...check, onError }], edges };
      const { executionId } = (await execute(await createWorkflow(instance, definition))).body;
      return ended(executionId);
    };
    await withWorker(async () => {
      const went = await run('continue');
      expect(went.status).toBe('success');
      expect(went.progress.check).toMatchObject({ iterations: 5, iterationCounts: { success: 2, failed: 3 } });
      const listed = async (query = '') =>
        (await call('GET', `/api/executions/${went.id}/nodes/check/iterations${query}`)).body;
      expect((await listed()).data.map(({ iteration }) => iteration)).toEqual(['0', '1', '2', '3', '4']);
      const failed = await listed('?status=failed&includeTotal=true&limit=2');
      expect(failed).toMatchObject({ total: 3, hasMore: true, data: [{ iteration: '0' }, { iteration: '2' }] });
      expect(failed.data[0]).toMatchObject({ status: 'failed', error: { code: expect.any(String) } });
      const stopped = await run('stop');
      expect(stopped.status).toBe('failed');
      expect(stopped.progress.check).toMatchObject({ status: 'failed', error: { message: expect.any(String) } });
    });
  });

  it('of debug mode shows what a node was given, resolved, without what the sender is known by', async () => {
    const each = { id: 'each', type: 'loop', parameters: { items: [5, 6] } };
    const item = {
      id: 'a',
      type: 'set',
      parameters: { fields: { n: '{{ $loop.item }}', headers: '{{ $trigger.headers }}' } },
    };
    const id = await createWorkflow(instance, {
      nodes: [{ id: 'start', type: 'trigger.manual' }, each, item],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'a' },
      ],
    });
    const input = { headers: { 'x-api-key': 'hush-hush' } };
    await withWorker(async () => {
      const { executionId } = (await execute(id, { executionMode: 'debug', input })).body;
      await ended(executionId);
      const debug = async (query = '') => read(`${executionId}/nodes/a/debug${query}`);
      expect((await debug()).body).toMatchObject({ nodeId: 'a', iteration: '1', parameters: { fields: { n: 6 } } });
      const first = await debug('?iteration=0');
      expect(first.body).toMatchObject({ iteration: '0', parameters: { fields: { n: 5 } } });
      expect(first.text).not.toContain('hush-hush');
      expect((await debug('?iteration=2')).status).toBe(404);
      const plain = (await execute(id, { input })).body.executionId;
      await ended(plain);
      expect((await read(`${plain}/nodes/a/debug`)).status).toBe(404);
    });
  });

  it('names as its current node one that runs or is waited for, never one that finished', async () => {
    const ask = { id: 'ask', type: 'approval', parameters: { message: '?' } };
    const done = { id: 'done', type: 'set', parameters: { fields: {} } };
    const id = await createWorkflow(instance, {
      nodes: [{ id: 'start', type: 'trigger.manual' }, ask, done],
      edges: [
        { source: 'start', target: 'ask' },
        { source: 'start', target: 'done' },
      ],
    });
    const { body } = await execute(id);
    await withWorker(async () => {
      const waiting = await until(async () => {
        const run = (await read(body.executionId)).body;
        return run.status === 'waiting_for_input' ? run : undefined;
      });
      expect([waiting.currentNodeId, waiting.progress.done!.status]).toEqual(['ask', 'success']);
      await call('POST', '/api/approvals/submit', { executionId: body.executionId, nodeId: 'ask', approved: true });
      expect((await ended(body.executionId)).currentNodeId).toBeNull();
    });
  });

  it('starts neither before it was created nor after its first node', async () => {
    const id = await createWorkflow(instance, simple);
    await withWorker(async () => {
      for (let n = 0; n < 20; n += 1) {
        const { createdAt, startedAt, finishedAt, progress } = await ended((await execute(id)).body.executionId);
        const times = [createdAt, startedAt, progress.start!.startedAt, progress.a!.startedAt, finishedAt];
        expect(times).toEqual([...times].sort());
      }
    });
  });

  it('404 for a run of a workspace that the caller may not see', async () => {
    const other = await gateway.call('POST', '/api/workspaces', { as: instance.session, body: { name: 'Other' } });
    const key = await createKey(gateway, instance.session, { preset: 'full', workspaceId: other.body.id });
    const { body } = await execute(await createWorkflow(instance, simple));
    expect((await gateway.call('GET', `/api/executions/${body.executionId}`, { as: key })).status).toBe(404);
  });
});

describe('the storage quota', () => {
  it('413: counts what runs keep, soon after it is written', async () => {
    const id = await createWorkflow(instance, simple);
    await withWorker(async () => {
      const { body } = await execute(id, { input: { n: 'x'.repeat(1_000) } });
      await ended(body.executionId);
      const stored = async () =>
        (await instance.db.workspace.findUniqueOrThrow({ where: { id: instance.workspaceId } })).storedBytes;
      const storageQuotaBytes = await until(
        async () => ((await stored()) >= 2_000n ? await stored() : undefined),
        'the bytes to be counted',
      );
      await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storageQuotaBytes } });
      expect(await execute(id)).toMatchObject({ status: 413, body: { code: 'workspace_over_quota' } });
      await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storageQuotaBytes: null } });
      expect((await execute(id)).status).toBe(202);
    });
  });
});

describe('stopping many', () => {
  it('stops the unfinished runs that fit and says how many', async () => {
    const [one, other] = [await createWorkflow(instance, simple), await createWorkflow(instance, simple)];
    for (const id of [one, one, one, other]) await execute(id);
    const stop = (body: object) => call('POST', '/api/executions/stop', { workspaceId: instance.workspaceId, ...body });
    expect(await stop({ workflowId: one, status: 'running' })).toMatchObject({ status: 200, body: { stopped: 0 } });
    expect(await stop({ workflowId: one })).toMatchObject({ status: 200, body: { stopped: 3 } });
    expect(await stop({ workflowId: one })).toMatchObject({ body: { stopped: 0 } });
    expect(await instance.db.execution.count({ where: { workflowId: other, status: 'pending' } })).toBe(1);
    expect((await stop({ workflow: one })).status).toBe(400);
    expect((await call('POST', '/api/executions/stop', { workspaceId: one })).status).toBe(403);
  });
});

describe('stop, pause and resume', () => {
  const resting = chain(
    { id: 'pause', type: 'wait', parameters: { seconds: 600 } },
    { id: 'after', type: 'set', parameters: { fields: {} } },
  );
  const act = (id: string, verb: string) => call('POST', `/api/executions/${id}/${verb}`);

  it('stop ends a run for good: 200, then 409', async () => {
    const { body } = await execute(await createWorkflow(instance, resting));
    const id: string = body.executionId;
    expect(await act(id, 'stop')).toMatchObject({ status: 200, body: { executionId: id, status: 'stopped' } });
    expect(await act(id, 'stop')).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } });
    await withWorker(async () => {
      // Its job comes before that of another run.
      await ended((await execute(await createWorkflow(instance, simple))).body.executionId);
      expect((await read(id)).body).toMatchObject({ status: 'stopped', startedAt: null });
    });
  });

  it('pause holds a run, resume lets it continue where it stood', async () => {
    const { body } = await execute(await createWorkflow(instance, simple));
    const id: string = body.executionId;
    expect(await act(id, 'resume')).toMatchObject({ status: 409 });
    expect(await act(id, 'pause')).toMatchObject({ status: 200, body: { status: 'paused' } });
    expect(await act(id, 'pause')).toMatchObject({ status: 409 });
    await withWorker(async () => {
      await ended((await execute(await createWorkflow(instance, simple))).body.executionId);
      expect((await read(id)).body).toMatchObject({ status: 'paused', startedAt: null });
      expect(await act(id, 'resume')).toMatchObject({ status: 200, body: { status: 'running' } });
      expect((await ended(id)).status).toBe('success');
    });
  });

  it('400 for a body with members, 404 for no run', async () => {
    const { body } = await execute(await createWorkflow(instance, simple));
    expect((await call('POST', `/api/executions/${body.executionId}/stop`, { force: true })).status).toBe(400);
    expect((await act('01a1fb35-e8df-7352-8660-75a19a555603', 'stop')).status).toBe(404);
  });
});

it('no log line holds a key, a token or a password', () => {
  const log = gateway.log.join('');
  expect(log.length).toBeGreaterThan(0);
  for (const secret of [instance.key, instance.session, 'correct horse battery']) expect(log).not.toContain(secret);
});
