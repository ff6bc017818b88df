import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serve } from '../../harness/serve.ts';
import {
  callWithKey,
  chain,
  createKey,
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
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ path: request.url }));
  }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const request = (id: string, path: string) => ({ id, type: 'http', parameters: { url: `${receiver}${path}` } });

/** Starts a run by an operation, waits for its end, and returns it with the requests that it sent. */
async function run(path: string, asked: object) {
  calls.length = 0;
  const { status, body, text } = await call('POST', path, asked);
  if (status !== 202) throw new Error(text);
  const finished = await until(async () => {
    const read = await call('GET', `/api/executions/${body.executionId}`);
    return ['success', 'failed'].includes(read.body.status) ? read.body : undefined;
  }, 'the end of the run');
  return { ...finished, calls: [...calls] };
}

const MOCK = { body: { path: '/pinned' } };
const abc = () => chain(request('a', '/a'), request('b', '/b/{{ $input.body.path }}'), request('c', '/c'));

describe('a run with mocks', () => {
  it('uses them in place of the nodes, and says so', async () => {
    const workflowId = await createWorkflow(instance, abc());
    const first = await run(`/api/workflows/${workflowId}/execute`, { mocks: { a: MOCK } });
    expect(first).toMatchObject({ status: 'success', executionMode: 'test', data: { mockedNodeIds: ['a'] } });
    expect(first.calls).toEqual(['/b//pinned', '/c']);
    expect(first.progress.a).toMatchObject({ status: 'success', output: MOCK });
    // They are not part of the version, and of no other run.
    const second = await run(`/api/executions/${first.id}/rerun`, {});
    expect(second.calls).toEqual(['/a', '/b//a', '/c']);
    expect(second.data).not.toHaveProperty('mockedNodeIds');
  });

  it('tests a node with an input that is given, and not with the one that it had', async () => {
    const workflowId = await createWorkflow(instance, abc());
    const first = await run(`/api/workflows/${workflowId}/execute`, {});
    const asked = { fromNodeId: 'b', untilNodeId: 'b', mocks: { a: MOCK } };
    const again = await run(`/api/executions/${first.id}/rerun`, asked);
    expect([again.calls, again.executionMode, again.progress.a?.output]).toEqual([['/b//pinned'], 'test', MOCK]);
  });

  it('has one for each iteration of a loop', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'each', type: 'loop', parameters: { items: [1, 2] } },
        request('a', '/a'),
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'a' },
      ],
    });
    const { calls: sent, progress } = await run(`/api/workflows/${workflowId}/execute`, { mocks: { a: null } });
    expect([sent, progress.a?.iterations, progress.each?.output]).toEqual([[], 2, [null, null]]);
  });

  it('loses them with its data', async () => {
    const workflowId = await createWorkflow(instance, abc());
    const { id } = await run(`/api/workflows/${workflowId}/execute`, { mocks: { a: { secret: 'pinned' } } });
    const before = await instance.db.execution.findUniqueOrThrow({ where: { id } });
    expect(before.mocks).toBe('{"a":{"secret":"pinned"}}');
    expect((await call('POST', `/api/executions/${id}/redact`)).status).toBe(200);
    expect((await instance.db.execution.findUniqueOrThrow({ where: { id } })).mocks).toBeNull();
  });

  it('400 with the field for mocks that a run cannot have', async () => {
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'check', type: 'if', parameters: { condition: '{{ true }}' } },
        request('a', '/a'),
      ],
      edges: [
        { source: 'start', target: 'check' },
        { source: 'check', sourceHandle: 'true', target: 'a' },
      ],
    });
    const refusal = async (body: object) => {
      const { status, body: answer } = await call('POST', `/api/workflows/${workflowId}/execute`, body);
      return [status, answer.details];
    };
    const at = (path: string, message: string) => [400, [{ path, message }]];
    expect(await refusal({ mocks: { nobody: 1 } })).toEqual(at('mocks.nobody', 'is not a node of the version'));
    expect(await refusal({ mocks: { start: 1 } })).toEqual(at('mocks.start', 'is a trigger: give the input instead'));
    expect(await refusal({ mocks: { check: 1 } })).toEqual(at('mocks.check', 'is a node with several outputs'));
    expect(await refusal({ mocks: { a: 1 }, executionMode: 'normal' })).toEqual(
      at('mocks', 'is for runs in the modes test, debug, sandbox'),
    );
    expect(await refusal({ mocks: { a: 'x'.repeat(524_288) } })).toEqual(
      at('mocks', 'must have at most 524288 bytes as JSON, and has 524296'),
    );
    expect(await refusal({ mocks: { a: '\ud800' } })).toEqual(
      at('mocks', 'has a text with a NUL character or half a surrogate pair'),
    );
    expect(
      (await call('POST', `/api/workflows/${workflowId}/execute/batch`, [{ mocks: { a: 1 } }])).body.items[0],
    ).toMatchObject({ status: 400 });
    expect(await instance.db.execution.count({ where: { workflowId } })).toBe(0);
  });

  it('403 for a key that may rerun and not start runs', async () => {
    const workflowId = await createWorkflow(instance, abc());
    const first = await run(`/api/workflows/${workflowId}/execute`, { mocks: { a: MOCK } });
    const scopes = ['executions:read', 'executions:write'];
    const key = await createKey(instance.gateway, instance.session, { scopes });
    const rerun = (body: object) =>
      instance.gateway.call('POST', `/api/executions/${first.id}/rerun`, { as: key, body });
    const { status, body } = await rerun({ mocks: { a: MOCK } });
    expect([status, body.required]).toEqual([403, 'workflows:write']);
    expect((await rerun({})).status).toBe(202);
  });
});
