import type { JsonObject } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  callWithKey,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { type ModelReply, serveModels } from '../../harness/model-provider.ts';
import { echoOf, serve } from '../../harness/serve.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);

/** Serves what tools call, and keeps the idempotency keys of the requests. */
async function serveTool() {
  const keys: (string | undefined)[] = [];
  const { url } = await serve((request, response) => {
    void echoOf(request).then(({ headers }) => {
      keys.push(headers['idempotency-key']?.toString());
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"sent":true}');
    });
  });
  return { url, keys };
}

/** Creates a workflow with an agent whose model has these replies. */
async function agentWith(
  replies: readonly ModelReply[],
  { url: tool }: { url: string },
  parameters: JsonObject = { tools: [{ node: 'send', permission: 'free' }] },
) {
  const { url, requests } = await serveModels(...replies);
  const secret = { provider: 'openai', apiKey: 'key-of-the-provider', baseUrl: url };
  const { workspaceId } = instance;
  const created = await call('POST', '/api/credentials', { workspaceId, name: 'Models', type: 'model', secret });
  const model = `model-of-${created.body.id}`;
  const nodes = [
    { id: 'start', type: 'trigger.manual' },
    {
      id: 'agent',
      type: 'agent',
      credentialId: created.body.id,
      parameters: { model, prompt: 'Write to {{ $trigger.name }}', maxTurns: 5, ...parameters },
    },
    { id: 'send', type: 'http', parameters: { method: 'POST', url: tool, body: '{{ $input }}' } },
    { id: 'ask', type: 'approval', parameters: { message: 'Send {{ $input.text }}?' } },
    { id: 'after', type: 'set', parameters: { fields: { said: '{{ $input.text }}' } } },
  ];
  const edges = [
    { source: 'start', target: 'agent' },
    { source: 'agent', sourceHandle: 'body', target: 'send' },
    { source: 'agent', sourceHandle: 'body', target: 'ask' },
    { source: 'agent', sourceHandle: 'done', target: 'after' },
  ];
  const workflowId = await createWorkflow(instance, { nodes, edges });
  const usage = async () => {
    const { body } = await call('GET', `/api/ai/usage?workspaceId=${workspaceId}`);
    return body.models.find((entry: { model: string }) => entry.model === model);
  };
  return { workflowId, requests, usage };
}

const reads = async (executionId: string) => (await call('GET', `/api/executions/${executionId}`)).body;

/** Returns a run once it has one of these statuses. */
const reaches = (executionId: string, ...statuses: readonly string[]) =>
  until(async () => {
    const found = await reads(executionId);
    return statuses.includes(found.status) ? found : undefined;
  });

async function start(workflowId: string): Promise<string> {
  const started = await call('POST', `/api/workflows/${workflowId}/execute`, { input: { name: 'Ada' } });
  return started.body.executionId;
}

const sending = (id: string): ModelReply => ({
  text: '',
  calls: [{ id, tool: 'send', arguments: { to: id } }],
  tokens: { input: 10, output: 2 },
});
const DONE: ModelReply = { text: 'Both are sent.', tokens: { input: 30, output: 4 } };

describe('an agent', () => {
  it('calls nodes as its model asks; each answer and each call is recorded and counted', async () => {
    const tool = await serveTool();
    const { workflowId, requests, usage } = await agentWith([sending('a'), sending('b'), DONE], tool);
    const id = await start(workflowId);
    const ended = await reaches(id, 'success', 'failed');
    expect(ended).toMatchObject({
      status: 'success',
      progress: { 'agent.steps': { status: 'success', iterations: 5 }, send: { status: 'success', iterations: 2 } },
    });
    expect(tool.keys).toEqual([`${id}:send:1`, `${id}:send:3`]);
    expect(requests).toHaveLength(3);
    const output = await call('GET', `/api/executions/${id}/nodes/agent/output`);
    expect(output.body.output).toMatchObject({
      text: 'Both are sent.',
      turns: 3,
      usage: { inputTokens: 50, outputTokens: 8 },
    });
    expect(await usage()).toMatchObject({ calls: 3, inputTokens: 50, outputTokens: 8 });
  });

  it('rests while a tool waits for a person, and goes on with the decision, without asking again', async () => {
    const asking = { text: '', calls: [{ id: 'a', tool: 'ask', arguments: { text: 'Hello' } }] };
    const { workflowId, requests } = await agentWith([asking, DONE], await serveTool());
    const id = await start(workflowId);
    const waiting = await reaches(id, 'waiting_for_input', 'failed');
    expect(waiting).toMatchObject({ status: 'waiting_for_input', currentNodeId: 'ask' });
    expect(requests).toHaveLength(1);
    const decided = await call('POST', '/api/approvals/submit', { executionId: id, nodeId: 'ask', approved: true });
    expect(decided.status).toBe(200);
    expect(await reaches(id, 'success', 'failed')).toMatchObject({ status: 'success' });
    expect(requests).toHaveLength(2);
    expect(requests[1]?.json.input).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'function_call_output',
          output: expect.stringContaining('"approved":true'),
        }),
      ]),
    );
  });

  it('asks a person before a tool with effects, as an approval does, and goes on with the decision', async () => {
    const tool = await serveTool();
    const { workflowId, requests } = await agentWith([sending('a'), sending('b'), DONE], tool, {});
    const id = await start(workflowId);
    const nodeId = 'agent.approval';
    expect(await reaches(id, 'waiting_for_input', 'failed')).toMatchObject({ currentNodeId: nodeId });
    const open = async () => {
      const { body } = await call('GET', `/api/approvals?workspaceId=${instance.workspaceId}`);
      return body.data.filter((entry: { id: string }) => entry.id === id);
    };
    expect(await open()).toEqual([
      expect.objectContaining({
        currentNodeId: nodeId,
        iteration: '1',
        message: 'Call send?\n\n{\n  "to": "a"\n}',
        choices: ['approved', 'rejected'],
      }),
    ]);
    expect(tool.keys).toEqual([]);
    await call('POST', '/api/approvals/submit', { executionId: id, nodeId, approved: true });
    await until(async () => (await open()).some(({ iteration }) => iteration === '3'));
    const rejection = { executionId: id, nodeId, approved: false, comment: 'Once is enough.' };
    expect((await call('POST', '/api/approvals/submit', rejection)).status).toBe(200);
    expect(await reaches(id, 'success', 'failed')).toMatchObject({
      status: 'success',
      progress: { [nodeId]: { status: 'success', iterations: 2 }, send: { iterations: 1 } },
    });
    expect(tool.keys).toEqual([`${id}:send:1`]);
    expect(JSON.stringify(requests[2]?.json)).toContain('a person decided against this call: Once is enough.');
  });

  it('that finished is kept by a rerun from a node after it; from one of its tools, it begins anew', async () => {
    const tool = await serveTool();
    const { workflowId, requests } = await agentWith([sending('a'), DONE, sending('b'), DONE], tool);
    const id = await start(workflowId);
    await reaches(id, 'success', 'failed');
    const rerun = async (fromNodeId: string) => {
      const { body } = await call('POST', `/api/executions/${id}/rerun`, { fromNodeId });
      return reaches(body.executionId, 'success', 'failed');
    };
    expect(await rerun('after')).toMatchObject({
      status: 'success',
      progress: { 'agent.steps': { iterations: 3 } },
    });
    expect([requests.length, tool.keys.length]).toEqual([2, 1]);
    const again = await rerun('send');
    expect(again).toMatchObject({ status: 'success' });
    expect(requests).toHaveLength(4);
    expect(tool.keys).toEqual([`${id}:send:1`, `${again.id}:send:1`]);
  });
});
