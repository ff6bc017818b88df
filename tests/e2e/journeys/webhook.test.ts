import type { Workflow } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chain, stopAll } from '../../harness/index.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';

const SECRET = 'a secret of the sender';

let stack: OwnedStack;
let url: string;

beforeAll(async () => {
  stack = await startOwnedStack();
  const { nodes, edges } = chain(
    { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.body.amount * 2 }}' } } },
    { id: 'end', type: 'terminal', parameters: { body: '{{ $input }}' } },
  );
  const parameters = { secret: SECRET, responseMode: 'onCompletion' };
  const [, ...others] = nodes;
  const definition = { nodes: [{ id: 'start', type: 'trigger.webhook', parameters }, ...others], edges };
  const id = await stack.createWorkflow('Orders', definition);
  await stack.say('PATCH', `/api/workflows/${id}`, { status: 'active' });
  const workflow = await stack.say<Workflow>('GET', `/api/workflows/${id}`);
  url = new URL(new URL(workflow.webhooks[0]?.url ?? '').pathname, stack.url).href;
});
afterAll(stopAll);

const post = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-secret': SECRET, ...headers },
    body: JSON.stringify(body),
  });

async function countRuns(): Promise<number> {
  const path = `/api/executions?workspaceId=${stack.workspaceId}&includeTotal=true`;
  return (await stack.say<{ total: number }>('GET', path)).total;
}

describe('a webhook of a running instance', () => {
  it('responds with the result of its run', async () => {
    const response = await post({ amount: 21 });
    expect([response.status, await response.json()]).toEqual([200, { total: 42 }]);
  });

  it('answers a repeated request with the same run, and starts no other', async () => {
    const before = await countRuns();
    const headers = { 'idempotency-key': 'order-7' };
    const [first, second] = [await post({ amount: 1 }, headers), await post({ amount: 1 }, headers)];
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await second.json()).toEqual({ total: 2 });
    expect(await countRuns()).toBe(before + 1);
  });

  it('refuses a sender without the secret, and starts nothing', async () => {
    const before = await countRuns();
    expect((await post({ amount: 1 }, { 'x-webhook-secret': 'a guess' })).status).toBe(401);
    expect(await countRuns()).toBe(before);
  });
});
