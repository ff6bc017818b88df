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
let receiver: string;
const calls: string[] = [];

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  ({ url: receiver } = await serve((request, response) => {
    calls.push(request.url ?? '');
    response.writeHead(request.url === '/broken' ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ path: request.url }));
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const request = (id: string, path: string) => ({ id, type: 'http', parameters: { url: `${receiver}${path}` } });

async function ended(id: string) {
  return until(async () => {
    const { body } = await call('GET', `/api/executions/${id}`);
    return ['success', 'failed'].includes(body.status) ? body : undefined;
  }, `the end of ${id}`);
}

/** Starts a run by an operation, waits for its end, and returns it with the requests that it sent. */
async function run(path: string, asked: object) {
  calls.length = 0;
  const { status, body, text } = await call('POST', path, asked);
  if (status !== 202 || body.executionId === undefined) throw new Error(text);
  const finished = await ended(body.executionId);
  return { ...finished, calls: [...calls] };
}

const abc = () => chain(request('a', '/a'), request('b', '/b/{{ $input.body.path }}'), request('c', '/c'));
const statusesOf = ({ progress }: Awaited<ReturnType<typeof ended>>) =>
  Object.fromEntries(Object.entries(progress).map(([id, { status }]) => [id, status]));

describe('a rerun up to a node', () => {
  it('tests one node with the input that it had, and leaves the rest out', async () => {
    const workflowId = await createWorkflow(instance, abc());
    const first = await run(`/api/workflows/${workflowId}/execute`, {});
    const again = await run(`/api/executions/${first.id}/rerun`, { fromNodeId: 'b', untilNodeId: 'b' });
    expect(again.calls).toEqual(['/b//a']);
    expect(again).toMatchObject({
      status: 'success',
      executionMode: 'test',
      data: { rerunOf: first.id, rerunFromNodeId: 'b', untilNodeId: 'b' },
    });
    expect(statusesOf(again)).toMatchObject({ a: 'success', b: 'success', c: 'skipped' });
    expect(again.progress.a).toEqual(first.progress.a);
    expect(first.data).not.toHaveProperty('untilNodeId');
    // Its outputs are reused by a test of the next node, which neither run had reached.
    const next = await run(`/api/executions/${again.id}/rerun`, { fromNodeId: 'c', untilNodeId: 'c' });
    expect([next.calls, next.status]).toEqual([['/c'], 'success']);
  });

  it('fails if one of its nodes does', async () => {
    const workflowId = await createWorkflow(instance, chain(request('a', '/a'), request('b', '/broken')));
    const first = await run(`/api/workflows/${workflowId}/execute`, {});
    const again = await run(`/api/executions/${first.id}/rerun`, { fromNodeId: 'b', untilNodeId: 'b' });
    expect([again.status, again.error?.nodeId, again.calls]).toEqual(['failed', 'b', ['/broken']]);
    const whole = await run(`/api/executions/${first.id}/rerun`, { untilNodeId: 'a' });
    expect([whole.status, whole.calls]).toEqual(['success', ['/a']]);
  });

  it('tests a node that is new, with the output of those before it', async () => {
    const workflowId = await createWorkflow(instance, abc());
    const first = await run(`/api/workflows/${workflowId}/execute`, {});
    const definition = chain(
      request('a', '/a'),
      request('b', '/b/{{ $input.body.path }}'),
      request('c', '/c'),
      request('d', '/d{{ $input.body.path }}'),
    );
    expect((await call('POST', `/api/workflows/${workflowId}/versions`, { definition })).status).toBe(201);
    const again = await run(`/api/executions/${first.id}/rerun`, { fromNodeId: 'd', untilNodeId: 'd' });
    expect([again.calls, again.status]).toEqual([['/d/c'], 'success']);
    const whole = await call('POST', `/api/executions/${first.id}/rerun`, { fromNodeId: 'd' });
    expect(whole.body.details).toEqual([{ path: 'fromNodeId', message: 'the run did not come to "d"' }]);
  });

  it('keeps the mode of a test, or has the one that is asked for', async () => {
    const workflowId = await createWorkflow(instance, abc());
    const first = await run(`/api/workflows/${workflowId}/execute`, { executionMode: 'debug', untilNodeId: 'a' });
    expect([first.executionMode, first.calls]).toEqual(['debug', ['/a']]);
    const again = await run(`/api/executions/${first.id}/rerun`, { untilNodeId: 'a' });
    expect([again.executionMode, again.calls]).toEqual(['debug', ['/a']]);
    const sandbox = await run(`/api/executions/${first.id}/rerun`, { executionMode: 'sandbox' });
    expect([sandbox.executionMode, sandbox.calls, statusesOf(sandbox).c]).toEqual(['sandbox', [], 'success']);
  });
});

describe('a run up to a node', () => {
  it('is a test, and never the latest success of its workflow', async () => {
    const workflowId = await createWorkflow(instance, abc());
    const first = await run(`/api/workflows/${workflowId}/execute`, { untilNodeId: 'b' });
    expect([first.executionMode, first.status, first.calls]).toEqual(['test', 'success', ['/a', '/b//a']]);
    const { body } = await call('GET', `/api/workflows/${workflowId}/executions?latest=true`);
    expect(body.data).toEqual([]);
  });

  it('400 with the field for a node that does not exist, or does not come after the start', async () => {
    const definition = abc();
    const workflowId = await createWorkflow(instance, {
      nodes: [...definition.nodes, { id: 'other', type: 'trigger.manual' }, request('beside', '/beside')],
      edges: [...definition.edges, { source: 'other', target: 'beside' }],
    });
    const first = await run(`/api/workflows/${workflowId}/execute`, { triggerNodeId: 'start' });
    const before = await instance.db.execution.count();
    const refused = async (path: string, body: object) => {
      const { status, body: answer } = await call('POST', path, body);
      return [status, answer.details];
    };
    const at = (message: string) => [400, [{ path: 'untilNodeId', message }]];
    const rerun = `/api/executions/${first.id}/rerun`;
    const execute = `/api/workflows/${workflowId}/execute` as const;
    expect(await refused(rerun, { untilNodeId: 'nobody' })).toEqual(at('"nobody" is not a node of the version'));
    expect(await refused(rerun, { fromNodeId: 'b', untilNodeId: 'a' })).toEqual(at('"a" does not come after "b"'));
    expect(await refused(rerun, { untilNodeId: 'beside' })).toEqual(at('"beside" does not come after "start"'));
    expect(await refused(execute, { triggerNodeId: 'start', untilNodeId: 'beside' })).toEqual(
      at('"beside" does not come after "start"'),
    );
    expect(await refused(execute, { untilNodeId: 'a', executionMode: 'normal' })).toEqual(
      at('is for runs in the modes test, debug, sandbox'),
    );
    expect(await refused(execute, { untilNodeId: 'a', debounce: { key: 'k', delay: 1 } })).toEqual(
      at('excludes debounce, by which a run has many callers'),
    );
    expect((await call('POST', rerun, { executionMode: 'normal' })).status).toBe(400);
    expect((await call('POST', `${execute}/batch`, [{ untilNodeId: 'a' }])).body.items[0]?.status).toBe(400);
    expect(await instance.db.execution.count()).toBe(before);
  });
});
