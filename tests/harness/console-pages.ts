import type {
  BulkAction,
  CreatedEventEndpoint,
  Definition,
  Execution,
  FailureGroup,
  FolderEntry,
  PageOf,
  SavedVersion,
  Workflow,
} from '@deckhand/contracts';
import type { OwnedStack } from './console.ts';
import { until } from './until.ts';

/** A page of the console, with something on it. */
export interface ShownPage {
  /** Of its picture. */
  readonly name: string;
  readonly path: string;
  /** A text that is there once the page is loaded. */
  readonly ready: string;
}

const MANUAL = { id: 'start', type: 'trigger.manual', name: 'Order arrives' };

const ORDERS: Definition = {
  nodes: [
    MANUAL,
    { id: 'price', type: 'set', name: 'Add the price', parameters: { fields: { total: '{{ $trigger.count * 3 }}' } } },
    { id: 'ship', type: 'set', name: 'Ship', parameters: { fields: { shipped: true, total: '{{ $input.total }}' } } },
  ],
  edges: [
    { source: 'start', target: 'price' },
    { source: 'price', target: 'ship' },
  ],
};
const SHIPPING: Definition = {
  nodes: [MANUAL, { id: 'ask', type: 'approval', parameters: { message: 'Ship {{ $trigger.sku }}?' } }],
  edges: [{ source: 'start', target: 'ask' }],
};
const REFUSALS: Definition = {
  nodes: [MANUAL, { id: 'refuse', type: 'fail', parameters: { message: 'No order {{ $trigger.number }}' } }],
  edges: [{ source: 'start', target: 'refuse' }],
};
const NIGHTLY: Definition = {
  nodes: [{ id: 'schedule', type: 'trigger.schedule', parameters: { cron: '0 3 * * *' } }],
  edges: [],
};

/** The form of a person, which the console builds from fields. */
const ASKING: Definition = {
  nodes: [
    MANUAL,
    {
      id: 'ask',
      type: 'human',
      name: 'Ask',
      parameters: {
        title: 'Why was it refunded?',
        schema: {
          type: 'object',
          properties: {
            reason: { type: 'string', title: 'Reason' },
            amount: { type: 'number', title: 'Amount in EUR' },
          },
          required: ['reason'],
        },
      },
    },
  ],
  edges: [{ source: 'start', target: 'ask' }],
};

/** Has something on every page of the workspace of an administrator. @returns the pages, and ids of what they show. */
export async function fillPages(
  stack: OwnedStack,
): Promise<{ readonly pages: readonly ShownPage[]; readonly ids: Readonly<Record<'orders' | 'asking', string>> }> {
  const { workspaceId, say } = stack;
  const list = async <T>(path: string) => (await say<PageOf<T>>('GET', `${path}?workspaceId=${workspaceId}`)).data;
  const activate = (id: string) => say('PATCH', `/api/workflows/${id}`, { status: 'active' });
  const limits = { executionsPerMinute: 600, maxConcurrentExecutions: 20, storageQuotaBytes: 1_048_576 };
  await say('PUT', `/api/admin/workspaces/${workspaceId}/limits`, limits);
  const [billing] = await Promise.all(
    ['Billing', 'Warehouse'].map((name) => say<FolderEntry>('POST', '/api/folders', { workspaceId, name })),
  );
  const booked = { workspaceId, name: 'Book payments', folderId: billing?.id, definition: ORDERS };
  await activate((await say<Workflow>('POST', '/api/workflows', booked)).id);
  const [orders = '', shipping = '', refusals = '', nightly = '', asking = ''] = await Promise.all(
    Object.entries({ Orders: ORDERS, Shipping: SHIPPING, Refusals: REFUSALS, Nightly: NIGHTLY, Asks: ASKING }).map(
      ([name, definition]) => stack.createWorkflow(name, definition),
    ),
  );
  await activate(nightly);
  const changed = ORDERS.nodes.map((node) =>
    node.id === 'price' ? { ...node, parameters: { fields: { total: 1, currency: 'USD' } } } : node,
  );
  const second = { definition: { ...ORDERS, nodes: changed }, comment: 'Names the currency' };
  const runs = await Promise.all([1, 50].map((count) => stack.start(orders, { count })));
  await stack.start(shipping, { sku: 'B-4' });
  for (const number of [17, 18, 19]) await stack.start(refusals, { number });
  const { workflowVersionId } = await say<SavedVersion>('POST', `/api/workflows/${orders}/versions`, second);
  const hook = { workspaceId, url: 'http://127.0.0.1:1/events', eventTypes: ['run.failed'] };
  const endpoint = await say<CreatedEventEndpoint>('POST', '/api/event-endpoints', hook);
  await say('POST', `/api/event-endpoints/${endpoint.id}/test`);
  const target = { executionIds: ['01a1fb35-e8df-7352-8660-75a19a555603'] };
  const action = await say<BulkAction>('POST', '/api/bulk-actions', { workspaceId, action: 'delete', ...target });
  await until(async () => (await list('/api/approvals')).length === 1, 'the approval');
  await until(async () => (await list<FailureGroup>('/api/failure-groups'))[0]?.count === 3, 'the failures');
  const isOver = async (id: string) => (await say<Execution>('GET', `/api/executions/${id}`)).finishedAt !== null;
  for (const id of runs) await until(() => isOver(id), 'the runs to be over');
  const [group] = await list<FailureGroup>('/api/failure-groups');
  const [left = '', right = ''] = runs;
  const pages = [
    ['workflows', 'workflows', 'Warehouse'],
    ['folder', `workflows?folderId=${billing?.id}`, 'Book payments'],
    ['approvals', 'approvals', 'Ship B-4?'],
    ['api-keys', 'api-keys', 'New API key'],
    ['fleet', 'fleet', 'Ready'],
    ['members', 'members', 'Ada'],
    ['variables', 'variables', 'New variable'],
    ['credentials', 'credentials', 'New credential'],
    ['settings', 'settings', 'Error workflow'],
    ['audit-log', 'audit-log', 'workflow'],
    ['account', 'account', 'This device'],
    ['schedules', 'schedules', 'Nightly'],
    ['administration', 'administration', 'of 1.0 MiB used'],
    ['event-endpoints', 'event-endpoints', 'run.failed'],
    ['event-endpoint', `event-endpoints/${endpoint.id}`, 'endpoint.test'],
    ['home', 'home', 'Failing workflows, last 24 hours'],
    ['insights', 'insights', 'By day'],
    ['failures', 'failures', 'No order <number>'],
    ['failure', `failures/${group?.id}`, 'Version 1'],
    ['bulk-actions', 'bulk-actions', 'Delete 1 run'],
    ['bulk-action', `bulk-actions/${action.id}`, 'NOT_FOUND'],
    ['runs', 'runs', 'Failed'],
    ['run', `runs/${left}?node=ship`, 'shipped'],
    ['run comparison', `runs/compare?left=${left}&right=${right}&node=price`, 'Output'],
    ['editor', `workflows/${orders}?node=ship`, 'Add to fields'],
    ['versions', `workflows/${orders}?after=${workflowVersionId}`, 'fields.currency'],
    ['dock', `workflows/${orders}?run=${left}&node=ship`, 'shipped'],
    ['form-builder', `workflows/${asking}?node=ask`, 'Amount in EUR'],
  ] as const;
  return { pages: pages.map(([name, path, ready]) => ({ name, path, ready })), ids: { orders, asking } };
}
