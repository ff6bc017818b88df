// What a user of the generated client does: compiled and run by tests/e2e/clients/generated-client.test.ts, which puts
// the client beside it. Prints `done` at the end; an expectation that does not hold ends the process with an error.
import assert from 'node:assert/strict';
import {
  createApiKey,
  createWorkflow,
  executeWorkflow,
  followExecution,
  listApprovals,
  listExecutions,
  listWorkspaces,
  login,
  type NodeProgress,
  getExecution,
  getNodeOutput,
  getWorkflow,
  saveVersion,
  submitApproval,
  updateWorkflow,
  type Definition,
} from './client/index.js';
import { createClient, createConfig } from './client/client/index.js';

const [baseUrl = '', email = '', password = ''] = process.argv.slice(2);

/** The data of a response that is not an error. */
function dataOf<T>({ data, error }: { data: T | undefined; error?: unknown }): T {
  assert(data !== undefined, `no error was expected: ${JSON.stringify(error)}`);
  return data;
}

// Sign in, and create a key.
const guest = createClient(createConfig({ baseUrl }));
const signedIn = dataOf(await login({ client: guest, body: { email, password } }));
assert('token' in signedIn, 'a person with a second factor finishes by another request');
const { token, user } = signedIn;
assert.equal(user.email, email.toLowerCase());
const session = createClient(
  createConfig({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) }),
);
const created = await createApiKey({ client: session, body: { name: 'Client', password, preset: 'full' } });
const { key } = dataOf(created);
const client = createClient(createConfig({ baseUrl, auth: ({ name }) => (name === 'x-api-key' ? key : undefined) }));
const [workspace] = dataOf(await listWorkspaces({ client })).data;
assert(workspace);
const { workspaceId } = workspace;

// Create a workflow, save a version, activate it.
const definition: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'total', type: 'set', parameters: { fields: { total: '{{ $trigger.amount * 2 }}' } } },
  ],
  edges: [{ source: 'start', target: 'total' }],
};
const workflow = dataOf(await createWorkflow({ client, body: { workspaceId, name: 'Generated', definition } }));
// Only with dryRun=true is the response another one.
assert('id' in workflow);
const asking: Definition = {
  nodes: [...definition.nodes, { id: 'ask', type: 'approval', parameters: { message: 'Refund it?' } }],
  edges: [...definition.edges, { source: 'total', target: 'ask' }],
};
const path = { id: workflow.id };
const tried = dataOf(await saveVersion({ client, path, query: { dryRun: true }, body: { definition: asking } }));
assert('valid' in tried && tried.valid);
const version = dataOf(await saveVersion({ client, path, body: { definition: asking, comment: 'Ask' } }));
assert('number' in version);
assert.equal(version.number, 2);
const { response: read } = await getWorkflow({ client, path });
const active = await updateWorkflow({
  client,
  path,
  body: { status: 'active' },
  headers: { 'If-Match': read?.headers.get('etag') ?? '' },
});
assert.equal(dataOf(active).activeVersionId, version.workflowVersionId);

// Execute with input, wait for the approval, submit it, wait for the end.
const { executionId } = dataOf(
  await executeWorkflow({
    client,
    path,
    body: { input: { amount: 21, tags: ['a', 'b'] } },
    headers: { 'Idempotency-Key': 'generated-client' },
  }),
);
const run = { id: executionId };
const waiting = dataOf(await getExecution({ client, path: run, query: { wait: 30 } }));
assert.equal(waiting.status, 'waiting_for_input');
const [approval] = dataOf(await listApprovals({ client, query: { workspaceId } })).data;
assert.equal(approval?.currentNodeId, 'ask');
dataOf(
  await submitApproval({
    client,
    body: { executionId, nodeId: approval.currentNodeId, waitId: approval.waitId, approved: true },
  }),
);
const finished = dataOf(await getExecution({ client, path: run, query: { wait: 30 } }));
assert.equal(finished.status, 'success');
const node: NodeProgress | undefined = finished.progress.total;
assert.deepEqual(node?.output, { total: 42 });
assert.equal(finished.data.approvals[0]?.approved, true);
const { output } = dataOf(await getNodeOutput({ client, path: { ...run, nodeId: 'total' } }));
assert(typeof output === 'object' && output !== null && !Array.isArray(output));
assert.equal(output.total, 42);

// Events are typed as the run that they show.
const { stream } = await followExecution({ client, path: run });
const statuses: string[] = [];
for await (const event of stream) if (event) statuses.push(event.status);
assert.deepEqual(statuses, ['success']);

// List with filters and the cursor.
const { executionId: second } = dataOf(await executeWorkflow({ client, path, body: { executionMode: 'test' } }));
assert(finished.startedAt !== null);
const filter = { workspaceId, workflowId: workflow.id, startedAt: { gte: finished.startedAt }, limit: 1 };
const first = dataOf(await listExecutions({ client, query: { ...filter, fields: ['executionId', 'status'] } }));
assert(first.nextCursor !== null);
const rest = dataOf(await listExecutions({ client, query: { ...filter, cursor: first.nextCursor } }));
const ids = [...first.data, ...rest.data].map((entry) => entry.executionId);
assert.deepEqual(new Set(ids), new Set([executionId, second]));
const failed = await listExecutions({ client, query: { workspaceId, status: ['failed', 'timeout'] } });
assert.deepEqual(dataOf(failed).data, []);

// Errors are told apart by their code.
const again = await submitApproval({ client, body: { executionId, nodeId: 'ask', decision: 'rejected' } });
switch (again.error?.code) {
  case 'ALREADY_DECIDED':
    assert.equal(again.response?.status, 400);
    break;
  default:
    assert.fail(`expected ALREADY_DECIDED, got ${again.error?.code}`);
}

console.log('done');
