import { createMemoryBudget } from '@deckhand/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';

const memory = createMemoryBudget(33_554_432);
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance, { memory });
});
afterAll(stopAll);

async function execute(definition: object): Promise<string> {
  const id = await createWorkflow(instance, definition);
  const started = await instance.gateway.call('POST', `/api/workflows/${id}/execute`, { as: instance.key, body: {} });
  return started.body.executionId;
}

const ended = (id: string) =>
  until(async () => {
    const { body } = await instance.gateway.call('GET', `/api/executions/${id}?slim=true`, { as: instance.key });
    return ['success', 'failed', 'timeout'].includes(body.status) ? body : undefined;
  }, `the end of ${id}`);

const large = (id: string) => ({ id, type: 'set', parameters: { fields: { text: "{{ 'x'.repeat(2000000) }}" } } });

describe('a run whose outputs take more memory than its worker has for data', () => {
  it.each([
    ['nodes one after another', chain(...Array.from({ length: 20 }, (_, index) => large(`n${index}`)))],
    [
      'iterations of a loop',
      {
        nodes: [
          { id: 'start', type: 'trigger.manual' },
          { id: 'each', type: 'loop', parameters: { items: Array.from({ length: 1_000 }, () => 0) } },
          large('inside'),
        ],
        edges: [
          { source: 'start', target: 'each' },
          { source: 'each', target: 'inside', sourceHandle: 'body' },
        ],
      },
    ],
  ])('fails with a code, and no other does: %s', async (_what, definition) => {
    const greedy = await execute(definition);
    const others = await Promise.all(Array.from({ length: 5 }, () => execute(chain(large('small')))));
    expect(await ended(greedy)).toMatchObject({ status: 'failed', error: { code: 'MEMORY_EXCEEDED' } });
    for (const id of others) expect(await ended(id)).toMatchObject({ status: 'success' });
    await until(() => memory.usedBytes() === 0, 'the memory to be given back');
  });
});

it('a response that takes more memory than there is fails its node, and gives it back', async () => {
  const { url } = await serve((_request, response) => response.end(Buffer.alloc(40_000_000)));
  const call = { id: 'call', type: 'http', parameters: { url, maxResponseBytes: 100_000_000 } };
  expect(await ended(await execute(chain(call)))).toMatchObject({
    status: 'failed',
    error: { code: 'MEMORY_EXCEEDED' },
  });
  await until(() => memory.usedBytes() === 0, 'the memory to be given back');
});
