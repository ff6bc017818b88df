import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  callWithKey,
  createWorkflow,
  type Instance,
  spawnApp,
  startInstance,
  stopAll,
  type TestApp,
  until,
} from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';
import { createScriptedModel } from '../../harness/scripted-model.ts';
import { echoOf, serve } from '../../harness/serve.ts';

/** The model is asked three times; it calls the tool twice, then twice at once. */
const SCRIPT = [
  { calls: [{ tool: 'send', arguments: { to: 'a' } }] },
  {
    calls: [
      { tool: 'send', arguments: { to: 'b' } },
      { tool: 'send', arguments: { to: 'c' } },
    ],
  },
  { text: 'All are sent.' },
];
/** Requests to the model and to the tool without a crash. */
const REQUESTS = 6;
/** A call of the tool, an answer with results before it, and the second call of one answer. */
const KILLED_AT = [2, 3, 5];

let instance: Instance;
let env: Record<string, string>;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  env = { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url };
});
afterAll(stopAll);

const call = callWithKey(() => instance);

/** Serves the model and the tool, and calls `onRequest` before it answers a request. */
async function serveBoth(onRequest: () => Promise<void>) {
  const model = createScriptedModel(SCRIPT);
  const keys: string[] = [];
  const { url } = await serve((request, response) => {
    void (async () => {
      const { path, body, headers } = await echoOf(request);
      const isModel = path.endsWith('/chat/completions');
      const answer = isModel ? model.answer(body).body : Buffer.from('{"sent":true}');
      if (!isModel) keys.push(String(headers['idempotency-key']));
      await onRequest();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(answer);
    })();
  });
  return { url, keys, asked: model.asked };
}

it('an agent whose worker is killed during a request asks for no stored answer again, and calls with the same keys', async () => {
  let worker: TestApp = await spawnApp('worker', env);
  let repeatedAnswers = 0;
  let repeatedCalls = 0;
  for (const killAt of KILLED_AT) {
    let requests = 0;
    const { url, keys, asked } = await serveBoth(async () => {
      requests += 1;
      if (requests !== killAt) return;
      await worker.kill('SIGKILL');
      worker = await spawnApp('worker', env);
    });
    const secret = { provider: 'openaiCompatible', baseUrl: `${url}/v1` };
    const { workspaceId } = instance;
    const created = await call('POST', '/api/credentials', { workspaceId, name: 'Models', type: 'model', secret });
    const parameters = { model: 'm', prompt: 'Send them.', tools: [{ node: 'send', permission: 'free' }] };
    const workflowId = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'agent', type: 'agent', credentialId: created.body.id, parameters },
        { id: 'send', type: 'http', parameters: { method: 'POST', url: `${url}/send`, body: '{{ $input }}' } },
      ],
      edges: edges('start -> agent', 'agent.body -> send'),
    });
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, {});
    const id: string = body.executionId;
    const ended = await until(async () => {
      const { body: found } = await call('GET', `/api/executions/${id}`);
      return ['success', 'failed', 'timeout'].includes(found.status) ? found : undefined;
    }, `the end of the run that was killed at request ${killAt}`);
    expect(ended.error).toBeNull();
    expect(ended).toMatchObject({ status: 'success', progress: { 'agent.steps': { iterations: 6 } } });

    // The request at which the worker died is sent again, because its answer was not stored; no other one is.
    expect(new Set(keys)).toEqual(new Set([1, 3, 4].map((step) => `${id}:send:${step}`)));
    expect(asked.length + keys.length).toBe(REQUESTS + 1);
    repeatedAnswers += asked.length - SCRIPT.length;
    repeatedCalls += keys.length - 3;
  }
  expect([repeatedAnswers, repeatedCalls]).toEqual([1, 2]);
  await worker.stop();
});
