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

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);

/** Creates a workflow whose model has these replies, in a workspace of its own, and returns how to run it. */
async function workflowWith(replies: readonly ModelReply[], retry?: object) {
  const { url, requests } = await serveModels(...replies);
  const secret = { provider: 'openai', apiKey: 'key-of-the-provider', baseUrl: url };
  const { workspaceId } = instance;
  const created = await call('POST', '/api/credentials', { workspaceId, name: 'Models', type: 'model', secret });
  expect(created.status).toBe(201);
  const node = {
    id: 'ask',
    type: 'model',
    credentialId: created.body.id,
    parameters: { model: `model-of-${created.body.id}`, prompt: 'Hello {{ $trigger.name }}' },
    ...(retry && { retry }),
  };
  const nodes = [{ id: 'start', type: 'trigger.manual' }, node];
  const workflowId = await createWorkflow(instance, { nodes, edges: [{ source: 'start', target: 'ask' }] });
  const usage = async () => {
    const { body } = await call('GET', `/api/ai/usage?workspaceId=${workspaceId}`);
    return body.models.find(({ model }: { model: string }) => model === node.parameters.model);
  };
  return { workflowId, requests, usage, model: node.parameters.model };
}

/** Starts a run, and returns it when it has ended. */
async function run(workflowId: string, body: object = {}) {
  const started = await call('POST', `/api/workflows/${workflowId}/execute`, { executionMode: 'debug', ...body });
  return until(async () => {
    const { body: found, text } = await call('GET', `/api/executions/${started.body.executionId}`);
    return ['success', 'failed'].includes(found.status) ? { ...found, text } : undefined;
  });
}

describe('a model', () => {
  it('responds in a run, and its calls and tokens are counted for the workspace', async () => {
    const { workflowId, requests, usage } = await workflowWith([
      { text: 'Hello Ada', tokens: { input: 12, output: 3, cached: 4 } },
    ]);
    const ended = await run(workflowId, { input: { name: 'Ada' } });
    expect(ended).toMatchObject({ status: 'success' });
    expect(ended.text).not.toContain('key-of-the-provider');
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers.authorization).toBe('Bearer key-of-the-provider');
    const unpriced = { costMicroUsd: null, callsWithoutCost: 1 };
    expect(await usage()).toMatchObject({ calls: 1, inputTokens: 12, outputTokens: 3, ...unpriced });
    await run(workflowId);
    expect(await usage()).toMatchObject({ calls: 2, inputTokens: 24, outputTokens: 6 });
  });

  it('that fails is tried again as the node says; both calls are counted, and the tokens of one', async () => {
    const { workflowId, requests, usage } = await workflowWith(
      [
        { text: '', failure: { status: 529, message: 'Overloaded' } },
        { text: 'Now', tokens: { input: 5, output: 1 } },
      ],
      { maxAttempts: 2, delayMs: 1 },
    );
    expect(await run(workflowId)).toMatchObject({ status: 'success' });
    expect(requests).toHaveLength(2);
    expect(await usage()).toMatchObject({ calls: 2, inputTokens: 5, outputTokens: 1 });
  });

  it('is not asked in sandbox mode', async () => {
    const { workflowId, requests, usage } = await workflowWith([{ text: 'x' }]);
    expect(await run(workflowId, { executionMode: 'sandbox' })).toMatchObject({ status: 'success' });
    expect(requests).toEqual([]);
    expect(await usage()).toBeUndefined();
  });

  it('is not asked once the workspace could exceed its tokens of the month; what is reserved returns', async () => {
    const { workspaceId, db } = instance;
    const { workflowId, requests } = await workflowWith([
      { text: '', failure: { status: 400, message: 'Refused' } },
      { text: 'One', tokens: { input: 60, output: 40 } },
    ]);
    const used = async (): Promise<number> =>
      (await call('GET', `/api/workspaces/${workspaceId}/usage`)).body.modelTokensThisMonth;
    const limit = (modelTokensPerMonth: number | null) =>
      db.workspace.update({ where: { id: workspaceId }, data: { modelTokensPerMonth } });
    const before = await used();
    expect(await run(workflowId)).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } });
    expect(await used()).toBe(before);
    await limit(before + 5_000);
    expect(await run(workflowId)).toMatchObject({ status: 'success' });
    expect(await used()).toBe(before + 100);
    await limit(before + 4_000);
    expect(await run(workflowId)).toMatchObject({ status: 'failed', error: { code: 'MODEL_BUDGET_EXCEEDED' } });
    expect(requests).toHaveLength(2);
    expect(await used()).toBe(before + 100);
    await limit(null);
    expect(await run(workflowId)).toMatchObject({ status: 'success' });
  });

  it('costs what an administrator says: in its output, by run, and within the limit of the workspace', async () => {
    const { workspaceId, db } = instance;
    const { workflowId, requests, model } = await workflowWith([{ text: 'One', tokens: { input: 60, output: 40 } }]);
    const price = { inputMicroUsd: 1_000_000, cachedInputMicroUsd: null, outputMicroUsd: 2_000_000 };
    const prices = [{ provider: 'openai', model, validFrom: '2026-01-01', source: 'Test', ...price }];
    const set = await instance.gateway.call('PUT', '/api/admin/model-prices', {
      as: instance.session,
      body: { prices },
    });
    expect(set).toMatchObject({ status: 200, body: { prices } });
    const ended = await run(workflowId);
    const { body: node } = await call('GET', `/api/executions/${ended.id}/nodes/ask/output`);
    expect(node.output).toMatchObject({ usage: { costMicroUsd: 140 } });
    await run(workflowId);
    const usage = async (query: string) =>
      (await call('GET', `/api/ai/usage?workspaceId=${workspaceId}&${query}`)).body;
    expect(await usage(`executionId=${ended.id}`)).toMatchObject({ calls: 1, costMicroUsd: 140, callsWithoutCost: 0 });
    expect(await usage(`workflowId=${workflowId}`)).toMatchObject({ calls: 2, costMicroUsd: 280 });
    await db.workspace.update({ where: { id: workspaceId }, data: { modelMicroUsdPerMonth: 300 } });
    expect(await run(workflowId)).toMatchObject({ status: 'failed', error: { code: 'MODEL_BUDGET_EXCEEDED' } });
    await instance.gateway.call('PUT', '/api/admin/model-prices', { as: instance.session, body: { prices: [] } });
    expect(await run(workflowId)).toMatchObject({ status: 'failed', error: { code: 'MODEL_PRICE_UNKNOWN' } });
    await db.workspace.update({ where: { id: workspaceId }, data: { modelMicroUsdPerMonth: null } });
    expect(requests).toHaveLength(2);
  });

  it('is counted by workflow and by day, too', async () => {
    const { workflowId } = await workflowWith([{ text: 'x', tokens: { input: 7, output: 2 } }]);
    await run(workflowId);
    const { body } = await call('GET', `/api/ai/usage?workspaceId=${instance.workspaceId}`);
    const figures = { calls: 1, inputTokens: 7, outputTokens: 2, costMicroUsd: null, callsWithoutCost: 1 };
    expect(body.workflows).toContainEqual({ workflowId, workflowName: 'Test', ...figures });
    expect(body.days.map(({ day }: { day: string }) => day)).toContain(new Date().toISOString().slice(0, 10));
  });

  it('beyond the 500 with the most tokens counts in the totals of the workspace', async () => {
    const { workspaceId, db } = instance;
    const usage = async () => (await call('GET', `/api/ai/usage?workspaceId=${workspaceId}`)).body;
    const before = await usage();
    await db.$executeRaw`
      INSERT INTO model_calls (id, workspace_id, execution_id, node_id, iteration, credential_id, provider, model,
        started_at, input_tokens, output_tokens)
      SELECT gen_random_uuid(), ${workspaceId}::uuid, gen_random_uuid(), 'ask', '', gen_random_uuid(), 'openai',
        'model' || number, now(), number, 1
      FROM generate_series(1, 600) AS number`;
    const after = await usage();
    expect(after.models).toHaveLength(500);
    expect(after.models[0]).toMatchObject({ model: 'model600', calls: 1, inputTokens: 600, outputTokens: 1 });
    const added = (['calls', 'inputTokens', 'outputTokens'] as const).map((member) => after[member] - before[member]);
    expect(added).toEqual([600, 180_300, 600]);
  });
});
