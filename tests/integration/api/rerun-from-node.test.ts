import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serve } from '../../harness/serve.ts';
import {
  callWithKey,
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
/** Responds with 500 to the paths in `broken`, and to others with the number of its calls. */
let receiver: string;
const broken = new Set<string>();
const calls: string[] = [];

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  ({ url: receiver } = await serve((request, response) => {
    const path = request.url ?? '';
    calls.push(path);
    response.writeHead(broken.has(path) ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ path, call: calls.length }));
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const ended = (id: string) =>
  until(async () => {
    const run = await read(id);
    return ['success', 'failed', 'stopped'].includes(run.status) ? run : undefined;
  }, `the end of ${id}`);
const request = (id: string, path: string) => ({ id, type: 'http', parameters: { url: `${receiver}${path}` } });

async function run(workflowId: string, input: object = {}) {
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, { input });
  return ended(body.executionId);
}

async function rerun(id: string, fromNodeId: string) {
  calls.length = 0;
  const { status, body, text } = await call('POST', `/api/executions/${id}/rerun`, { fromNodeId });
  if (status !== 202) throw new Error(text);
  return ended(body.executionId);
}

describe('a rerun from a node', () => {
  it('calls that node and what follows, and takes over what came before', async () => {
    const workflowId = await createWorkflow(
      instance,
      chain(
        request('a', '/a'),
        request('b', '/b/{{ $trigger.n }}/{{ $nodes.a.output.body.path }}'),
        request('c', '/c'),
      ),
    );
    broken.add('/c');
    const first = await run(workflowId, { n: 7 });
    expect([first.status, first.error!.nodeId]).toEqual(['failed', 'c']);
    broken.clear();
    const again = await rerun(first.id, 'b');
    expect(again).toMatchObject({
      status: 'success',
      source: 'rerun',
      data: { trigger: { n: 7 }, rerunOf: first.id, rerunFromNodeId: 'b' },
    });
    expect(calls).toEqual(['/b/7//a', '/c']);
    expect(again.progress.a).toEqual(first.progress.a);
    // It has copies of all data, so the original may be deleted.
    const output = await call('GET', `/api/executions/${again.id}/nodes/a/output`);
    expect(output.body.output).toEqual(first.progress.a!.output);
    expect(await read(first.id)).toEqual(first);
    // And it can be the source of another rerun.
    expect((await rerun(again.id, 'c')).status).toBe('success');
    expect(calls).toEqual(['/c']);
  });

  it('keeps the iterations of a loop that finished before one failed', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'each', type: 'loop', parameters: { items: [0, 1, 2, 3, 4] } },
        request('a', '/a/{{ $loop.index }}'),
        request('b', '/b/{{ $loop.index }}'),
        { id: 'count', type: 'set', parameters: { fields: { count: '{{ $input.length }}' } } },
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'a' },
        { source: 'a', target: 'b' },
        { source: 'each', sourceHandle: 'done', target: 'count' },
      ],
    });
    broken.add('/b/3');
    const first = await run(workflowId);
    expect(first.error).toMatchObject({ nodeId: 'b' });
    broken.clear();
    const again = await rerun(first.id, 'b');
    expect([again.status, again.progress.count!.output]).toEqual(['success', { count: 5 }]);
    expect(calls).toEqual(['/b/3', '/a/4', '/b/4']);
    expect([again.progress.a!.iterations, again.progress.b!.iterations]).toEqual([5, 5]);
    for (const iteration of [0, 3]) {
      const [before, after] = await Promise.all(
        [first.id, again.id].map((id) => call('GET', `/api/executions/${id}/nodes/a/output?iteration=${iteration}`)),
      );
      expect(after?.body).toEqual(before?.body);
    }
  });

  it('continues in the failed iterations alone, and reuses those that succeeded', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'each', type: 'loop', parameters: { items: [0, 1, 2, 3] } },
        { ...request('first', '/first/{{ $loop.index }}'), onError: 'continue' },
        { ...request('second', '/second/{{ $loop.index }}'), onError: 'continue' },
        request('done', '/done'),
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'first' },
        { source: 'first', target: 'second' },
        { source: 'each', sourceHandle: 'done', target: 'done' },
      ],
    });
    broken.add('/first/1');
    broken.add('/first/3');
    const original = await run(workflowId);
    expect([original.status, original.progress.first?.iterationCounts]).toEqual(['success', { success: 2, failed: 2 }]);
    broken.delete('/first/1');
    const again = async (id: string, body: object) => {
      calls.length = 0;
      const { status, body: started } = await call('POST', `/api/executions/${id}/rerun`, body);
      return status === 202 ? ended(started.executionId) : { status, details: started.details };
    };
    const second = await again(original.executionId, { iterations: 'failed' });
    expect(calls).toEqual(['/first/1', '/second/1', '/first/3', '/second/3', '/done']);
    expect(second).toMatchObject({
      status: 'success',
      data: { rerunFromNodeId: 'first', rerunIterations: 'failed' },
      progress: { first: { iterationCounts: { success: 3, failed: 1 } } },
    });
    // The rerun can be rerun in the same way, and so on until nothing is left.
    broken.delete('/first/3');
    const third = await again('executionId' in second ? second.executionId : '', { iterations: 'failed' });
    expect(calls).toEqual(['/first/3', '/second/3', '/done']);
    const none = await again('executionId' in third ? third.executionId : '', { iterations: 'failed' });
    expect(none).toMatchObject({ status: 400, details: [{ path: 'iterations' }] });
    expect(await again(original.executionId, { fromNodeId: 'second', iterations: 'failed' })).toMatchObject({
      status: 400,
      details: [{ path: 'iterations' }],
    });
  });

  it('400 for failed iterations of several nodes, unless one is named', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'each', type: 'loop', parameters: { items: [0, 1] } },
        { ...request('first', '/a/{{ $loop.index }}'), onError: 'continue' },
        { ...request('second', '/b/{{ $loop.index }}'), onError: 'continue' },
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'first' },
        { source: 'first', target: 'second' },
      ],
    });
    for (const path of ['/a/0', '/b/1']) broken.add(path);
    const { executionId } = await run(workflowId);
    for (const path of ['/a/0', '/b/1']) broken.delete(path);
    const refused = await call('POST', `/api/executions/${executionId}/rerun`, { iterations: 'failed' });
    expect([refused.status, refused.body.details]).toMatchObject([400, [{ path: 'fromNodeId' }]]);
    calls.length = 0;
    const body = { fromNodeId: 'second', iterations: 'failed' };
    const started = await call('POST', `/api/executions/${executionId}/rerun`, body);
    expect((await ended(started.body.executionId)).status).toBe('success');
    expect(calls).toEqual(['/b/1']);
  });

  it('continues from a run that was stopped', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        request('a', '/a'),
        { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } },
        request('b', '/b'),
      ],
      edges: [
        { source: 'start', target: 'a' },
        { source: 'a', target: 'ask' },
        { source: 'ask', sourceHandle: 'approved', target: 'b' },
      ],
    });
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, {});
    await until(async () => (await read(body.executionId)).status === 'waiting_for_input');
    await call('POST', `/api/executions/${body.executionId}/stop`);
    calls.length = 0;
    const { body: started } = await call('POST', `/api/executions/${body.executionId}/rerun`, { fromNodeId: 'ask' });
    await until(async () => (await read(started.executionId)).status === 'waiting_for_input');
    const decision = { executionId: started.executionId, nodeId: 'ask', approved: true };
    expect((await call('POST', '/api/approvals/submit', decision)).status).toBe(200);
    expect((await ended(started.executionId)).status).toBe('success');
    expect(calls).toEqual(['/b']);
  });

  describe('of a later version', () => {
    const start = { id: 'start', type: 'trigger.manual' };
    const fail = { id: 'charge', type: 'fail', parameters: { message: 'no' } };
    const charge = { id: 'charge', type: 'set', parameters: { fields: { charged: true } } };
    const kind = (handle: string) => ({
      id: 'kind',
      type: 'switch',
      parameters: { value: '{{ $trigger.kind }}', cases: [{ handle, equals: 'card' }] },
    });
    const to = (source: string, target: string, sourceHandle?: string) => ({
      source,
      target,
      ...(sourceHandle && { sourceHandle }),
    });

    /** Runs a definition to its failure, and saves another. @returns the ids of the workflow and of the run. */
    async function failThenSave(nodes: object[], edges: object[], next: { nodes: object[]; edges: object[] }) {
      const workflowId = await createWorkflow(instance, { nodes, edges });
      const { id, status } = await run(workflowId, { kind: 'card' });
      expect(status).toBe('failed');
      const saved = await call('POST', `/api/workflows/${workflowId}/versions`, { definition: next });
      expect(saved.status).toBe(201);
      return { workflowId, id };
    }

    it('does a node again that no longer has the output by which it left', async () => {
      const before = [to('start', 'kind'), to('kind', 'charge', 'card')];
      const after = [to('start', 'kind'), to('kind', 'charge', 'creditCard')];
      const next = { nodes: [start, kind('creditCard'), charge], edges: after };
      const { id } = await failThenSave([start, kind('card'), fail], before, next);
      expect(await rerun(id, 'charge')).toMatchObject({
        status: 'success',
        progress: { charge: { status: 'success' } },
      });
    });

    it('does a node again that is of another type, and what it contained', async () => {
      const loop = { id: 'l', type: 'loop', parameters: { items: [1] } };
      const set = (id: string) => ({ id, type: 'set', parameters: { fields: { [id]: 1 } } });
      const edges = [to('start', 'l'), to('l', 'b', 'body'), to('l', 'charge', 'done')];
      const next = {
        nodes: [start, set('l'), set('b'), charge],
        edges: [to('start', 'l'), to('l', 'b'), to('b', 'charge')],
      };
      const { id } = await failThenSave([start, loop, set('b'), fail], edges, next);
      const again = await rerun(id, 'charge');
      expect(again).toMatchObject({
        status: 'success',
        progress: { l: { output: { l: 1 } }, charge: { status: 'success' } },
      });
    });

    it('is refused if the outputs that it reuses lead elsewhere: 422, and failed in a bulk action', async () => {
      const edges = [to('start', 'kind'), to('kind', 'charge', 'card')];
      const next = {
        nodes: [start, kind('card'), charge],
        edges: [to('start', 'kind'), to('kind', 'charge', 'default')],
      };
      const { id, workflowId } = await failThenSave([start, kind('card'), fail], edges, next);
      const refused = await call('POST', `/api/executions/${id}/rerun`, { fromNodeId: 'charge' });
      expect([refused.status, refused.body.code]).toEqual([422, 'NODE_NOT_REACHED']);
      const original = await call('POST', `/api/executions/${id}/rerun`, { fromNodeId: 'charge', version: 'original' });
      expect(original.status).toBe(202);
      await ended(original.body.executionId);
      const bulk = await call('POST', '/api/bulk-actions', {
        ...{ workspaceId: instance.workspaceId, action: 'rerun', version: 'latest', from: 'failedNode' },
        filter: { workflowId, status: ['failed'] },
      });
      const state = async () => (await call('GET', `/api/bulk-actions/${bulk.body.id}`)).body;
      await until(async () => (await state()).status === 'finished', 'the end of the bulk action');
      expect(await state()).toMatchObject({ done: 0, failed: 2, errors: [{ code: 'NODE_NOT_REACHED' }, {}] });
    });

    it('fails if a node before it runs again and takes another way', async () => {
      const edges = [to('start', 'kind'), to('kind', 'charge', 'card')];
      const cases = [
        { handle: 'cash', equals: 'card' },
        { handle: 'creditCard', equals: 'credit' },
      ];
      const next = {
        nodes: [start, { ...kind('cash'), parameters: { value: '{{ $trigger.kind }}', cases } }, charge],
        edges: [to('start', 'kind'), to('kind', 'charge', 'creditCard')],
      };
      const { id } = await failThenSave([start, kind('card'), fail], edges, next);
      const again = await rerun(id, 'charge');
      expect([again.status, again.error]).toMatchObject(['failed', { code: 'NODE_NOT_REACHED', nodeId: 'charge' }]);
    });
  });

  it('400 for a node that the latest version does not have, or that the run did not come to', async () => {
    const workflowId = await createWorkflow(
      instance,
      chain({ id: 'stop', type: 'fail', parameters: { message: 'no' } }, request('b', '/b')),
    );
    const first = await run(workflowId);
    const runs = () => instance.db.execution.count();
    const before = await runs();
    for (const [fromNodeId, message] of [
      ['nobody', '"nobody" is not a node of the version'],
      ['b', 'the run did not come to "b"'],
    ]) {
      const answer = await call('POST', `/api/executions/${first.id}/rerun`, { fromNodeId });
      expect([answer.status, answer.body.details]).toEqual([400, [{ path: 'fromNodeId', message }]]);
    }
    expect(await runs()).toBe(before);
  });
});
