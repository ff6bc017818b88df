import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import {
  callWithKey,
  chain,
  createHook,
  createWorkflow,
  type Instance,
  sendHook,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const execute = (body: object) => call('POST', `/api/workflows/${workflowId}/execute`, body);
const readRun = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;

describe('a debounced start', () => {
  it('names the run that it is joined with', async () => {
    const debounce = { key: 'named', delay: 3_600 };
    const first = await execute({ input: { n: 1 }, debounce });
    expect(first.body).toEqual({
      message: 'The run is accepted and starts later',
      executionId: expect.any(String),
      workers: expect.anything(),
    });
    const second = await execute({ input: { n: 2 }, debounce });
    expect(second.status).toBe(202);
    expect(second.body).toMatchObject({ executionId: first.body.executionId, isDebounced: true });
    expect(await readRun(first.body.executionId)).toMatchObject({ status: 'pending', data: { trigger: { n: 2 } } });
  });

  it('is part of a batch, too', async () => {
    const debounce = { key: 'batch', delay: 3_600 };
    const items = [{ debounce }, { debounce }, { debounce: { ...debounce, key: 'other' } }];
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute/batch`, items);
    const [a, b, c] = body.items.map((item) => ('executionId' in item ? item.executionId : undefined));
    expect(body.accepted).toBe(3);
    expect(a).toBe(b);
    expect(c).not.toBe(a);
  });

  it.each<[string, JsonObject]>([
    ['debounce.key', { debounce: { delay: 1 } }],
    ['debounce.key', { debounce: { key: 'a\0b', delay: 1 } }],
    ['debounce.delay', { debounce: { key: 'a' } }],
    ['debounce.delay', { debounce: { key: 'a', delay: 0 } }],
    ['debounce.maxDelay', { debounce: { key: 'a', delay: 2, maxDelay: 1 } }],
    ['debounce.mode', { debounce: { key: 'a', delay: 2, mode: 'both' } }],
    ['debounce', { debounce: { key: 'a', delay: 2 }, delay: 1 }],
    ['debounce', { debounce: { key: 'a', delay: 2 }, startAt: '2030-01-01T00:00:00Z' }],
  ])('names %s if that is invalid', async (path, body) => {
    const { status, body: refusal } = await execute(body);
    expect(status).toBe(400);
    expect(refusal.details?.map((issue) => issue.path)).toContain(path);
  });

  it('runs once, with the last input', async () => {
    const worker = await startTestWorker(instance);
    const debounce = { key: 'once', delay: 0.5 };
    const starts = [];
    for (const n of [1, 2, 3]) starts.push((await execute({ input: { n }, debounce })).body.executionId);
    const id = starts.at(-1) ?? '';
    await until(async () => (await readRun(id)).status === 'success');
    expect(await readRun(id)).toMatchObject({ data: { trigger: { n: 3 } } });
    await worker.stop();
  });
});

describe('a webhook', () => {
  const send = (path: string, body: object) =>
    sendHook(instance.gateway, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  it('has the key as an expression', async () => {
    const debounce = { key: '{{ $trigger.body.order }}', delay: 3_600 };
    const { path } = await createHook(instance, { options: { debounce } });
    const first = (await send(path, { order: 1, n: 1 })).body.executionId;
    expect((await send(path, { order: 1, n: 2 })).body.executionId).toBe(first);
    expect((await send(path, { order: 2, n: 3 })).body.executionId).not.toBe(first);
    expect(await readRun(first)).toMatchObject({ data: { trigger: { body: { order: 1, n: 2 } } } });
    // Without a key, each request has a run.
    expect((await send(path, {})).body.executionId).not.toBe((await send(path, {})).body.executionId);
  });

  it.each<[string, string, JsonObject]>([
    ['trigger.webhook', 'options.debounce.key', { debounce: { key: '{{ $nodes.a.output }}', delay: 1 } }],
    ['trigger.webhook', 'options.debounce.maxDelay', { debounce: { key: 'a', delay: 2, maxDelay: 1 } }],
    ['trigger.webhook', 'options.debounce', { debounce: { key: 'a', delay: 2 }, delay: 1 }],
    ['trigger.schedule', 'options.debounce', { debounce: { key: 'a', delay: 2 } }],
  ])('%s with an invalid %s cannot be saved', async (type, path, options) => {
    const parameters = { options, ...(type === 'trigger.schedule' ? { cron: '0 0 * * *' } : {}) };
    const { status, body } = await call('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Bad',
      definition: { nodes: [{ id: 'in', type, parameters }], edges: [] },
    });
    expect(status).toBe(400);
    expect(body.details?.map((issue) => issue.path)).toEqual([`definition.nodes[0].parameters.${path}`]);
  });
});
