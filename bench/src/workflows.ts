import { post, type Stack } from './stack.ts';

/** Four pure nodes: manual → set → if → set. */
export const FOUR_NODES = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.amount * $trigger.quantity }}' } } },
    { id: 'check', type: 'if', parameters: { condition: '{{ $input.total > 100 }}' } },
    {
      id: 'mark',
      type: 'set',
      parameters: { keepInput: true, fields: { route: 'big', order: '{{ $trigger.order }}' } },
    },
  ],
  edges: [
    { source: 'start', target: 'total' },
    { source: 'total', target: 'check' },
    { source: 'check', sourceHandle: 'true', target: 'mark' },
  ],
};

/** What runs of FOUR_NODES are started with, as the body of POST execute. */
export const FOUR_NODES_BODY = JSON.stringify({ input: { order: 'A-1', amount: 45, quantity: 3 } });

/** Saves a workflow. @returns its id. */
export async function saveWorkflow(stack: Stack, name: string, definition: object): Promise<string> {
  const body = { workspaceId: stack.workspaceId, name, definition };
  const { id } = await post<{ id: string }>(stack.url, '/api/workflows', body, { 'x-api-key': stack.apiKey });
  return id;
}

/** Saves and activates a workflow that begins with a webhook. @returns its id and its URL. */
export async function saveWebhook(stack: Stack, definition: object): Promise<{ workflowId: string; url: string }> {
  const headers = { 'x-api-key': stack.apiKey, 'content-type': 'application/json' };
  const { id, webhooks } = await post<{ id: string; webhooks: { url: string }[] }>(
    stack.url,
    '/api/workflows',
    { workspaceId: stack.workspaceId, name: 'webhook', definition },
    headers,
  );
  const body = JSON.stringify({ status: 'active' });
  await fetch(`${stack.url}/api/workflows/${id}`, { method: 'PATCH', headers, body });
  return { workflowId: id, url: new URL(new URL(webhooks[0]?.url ?? '').pathname, stack.url).href };
}
