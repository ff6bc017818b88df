import { startFloor } from './floor.js';
import { loadWithNonces, type NonceLoad } from './nonce-load.js';
import { post, type Stack } from './stack.js';

/** A load of requests to a webhook, or to the floor. */
export interface WebhookResult extends NonceLoad {
  readonly what: string;
  readonly connections: number;
  /** Runs beyond one a request; null for the floor. */
  readonly doubled: number | null;
}

const SECONDS = 20;
const WARM_UP_SECONDS = 3;

/** Four nodes: webhook → set → if → terminal. */
const DEFINITION = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', parameters: { responseMode: 'onCompletion' } },
    { id: 'keep', type: 'set', parameters: { fields: { nonce: '{{ $trigger.body.nonce }}' } } },
    { id: 'check', type: 'if', parameters: { condition: '{{ $input.nonce.length > 8 }}' } },
    { id: 'end', type: 'terminal', parameters: { body: { nonce: '{{ $nodes.keep.output.nonce }}' } } },
  ],
  edges: [
    { source: 'hook', target: 'keep' },
    { source: 'keep', target: 'check' },
    { source: 'check', sourceHandle: 'true', target: 'end' },
  ],
};

/** Measures webhooks on completion, each time beside the floor on the same Redis right before. */
export async function webhooks(stack: Stack): Promise<WebhookResult[]> {
  const headers = { 'x-api-key': stack.apiKey };
  const workflow = await post<{ id: string; webhooks: { url: string }[] }>(
    stack.url,
    '/api/workflows',
    { workspaceId: stack.workspaceId, name: 'webhook', definition: DEFINITION },
    headers,
  );
  await fetch(`${stack.url}/api/workflows/${workflow.id}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'active' }),
  });
  const url = new URL(new URL(workflow.webhooks[0]?.url ?? '').pathname, stack.url).href;
  const runs = (): Promise<number> => stack.db.execution.count({ where: { workflowId: workflow.id } });
  const floor = await startFloor(stack.redis.url);
  const results: WebhookResult[] = [];
  try {
    for (const connections of [20, 200]) {
      const load = { connections, seconds: SECONDS };
      await loadWithNonces(floor.url, { connections, seconds: WARM_UP_SECONDS });
      results.push({ what: 'floor', connections, doubled: null, ...(await loadWithNonces(floor.url, load)) });
      await loadWithNonces(url, { connections, seconds: WARM_UP_SECONDS });
      const before = await runs();
      const result = await loadWithNonces(url, load);
      const doubled = (await runs()) - before - result.requests;
      results.push({ what: 'webhook on completion', connections, doubled, ...result });
    }
  } finally {
    await floor.stop();
  }
  return results;
}
