import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callWithKey, createWorkflow, type Instance } from '../../harness/index.ts';
import { startInstance, startTestWorker, stopAll, until } from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const start = { id: 'start', type: 'trigger.manual' };
const ask = { id: 'ask', type: 'approval', parameters: { message: 'Well?' } };

it('null for an optional member of a request is as good as absent: starts, batches, reruns and decisions', async () => {
  const workflowId = await createWorkflow(instance, { nodes: [start, ask], edges: edges('start -> ask') });
  const nothing = { triggerNodeId: null, executionMode: null, version: null, tags: null, delay: null, expiresAt: null };
  const started = await call('POST', `/api/workflows/${workflowId}/execute`, { input: null, ...nothing });
  expect(started.status).toBe(202);
  const { executionId } = started.body;
  const batch = await call('POST', `/api/workflows/${workflowId}/execute/batch`, [{ input: { a: 1 }, ...nothing }]);
  expect(batch.body.items).toMatchObject([{ executionId: expect.any(String) }]);
  const read = async () => (await call('GET', `/api/executions/${executionId}`)).body;
  await until(async () => (await read()).status === 'waiting_for_input');
  const decision = { executionId, nodeId: 'ask', approved: true, decision: null, comment: null, waitId: null };
  expect((await call('POST', '/api/approvals/submit', decision)).status).toBe(200);
  await until(async () => (await read()).status === 'success');
  const rerun = { fromNodeId: null, untilNodeId: null, mocks: null, executionMode: null };
  expect((await call('POST', `/api/executions/${executionId}/rerun`, rerun)).status).toBe(202);
});

it('a definition is saved without optional members that are null, of nodes, parameters, edges and settings', async () => {
  const { workspaceId } = instance;
  const node = { name: null, retry: null, onError: null, position: null, credentialId: null };
  const definition = {
    nodes: [
      { ...start, parameters: null },
      { id: 'call', type: 'http', parameters: { url: 'https://a.example', method: null, query: null }, ...node },
      { id: 'note', type: 'set', parameters: { fields: { kept: null }, keepInput: null } },
    ],
    edges: [{ source: 'start', target: 'call', sourceHandle: null }],
    settings: { timeoutSeconds: null, rateLimit: null },
    notes: null,
  };
  const { status, body } = await call('POST', '/api/workflows', {
    workspaceId,
    name: 'Nulls',
    description: null,
    definition,
  });
  expect([status, body.definition]).toEqual([
    201,
    {
      nodes: [
        start,
        { id: 'call', type: 'http', parameters: { url: 'https://a.example' } },
        { id: 'note', type: 'set', parameters: { fields: { kept: null } } },
      ],
      edges: [{ source: 'start', target: 'call' }],
      settings: {},
    },
  ]);
  const none = await call('POST', '/api/workflows', { workspaceId, name: 'No definition', definition: null });
  expect([none.status, none.body.latestVersionId]).toEqual([201, null]);
});

it('an optional parameter that an expression sets to null is refused when the node runs', async () => {
  const wait = { id: 'paid', type: 'wait.event', parameters: { name: 'order.paid', key: '{{ $trigger.order }}' } };
  const workflowId = await createWorkflow(instance, { nodes: [start, wait], edges: edges('start -> paid') });
  const { executionId } = (await call('POST', `/api/workflows/${workflowId}/execute`, { input: { order: null } })).body;
  const run = await until(async () => {
    const now = (await call('GET', `/api/executions/${executionId}`)).body;
    return now.finishedAt !== null && now;
  });
  // Without a key, the wait would end by the event of any order.
  expect([run.status, run.error?.nodeId]).toEqual(['failed', 'paid']);
});
