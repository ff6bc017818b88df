import Type from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { TRACKER } from './connectors.ts';
import { createWorkflow, type Instance } from './gateway.ts';
import { addPerson } from './people.ts';
import { until } from './until.ts';

import { startTestWorker } from './worker.ts';

/** The data for the form of `WORLD_DEFINITION`. */
export const WORLD_FORM = Type.Object({ count: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });

/** A definition with all that a node, an edge and the settings may have. */
export const WORLD_DEFINITION = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', parameters: {}, position: { x: 0, y: 1 }, disabled: false },
    {
      id: 'ask',
      type: 'approval',
      parameters: { message: 'Well?' },
      retry: { maxAttempts: 2, delayMs: 1, factor: 2, maxDelayMs: 5 },
      timeoutSeconds: 5,
      onInterrupt: 'fail',
      onError: 'continue',
      mock: { decision: 'approved' },
    },
    { id: 'form', type: 'human', parameters: { title: 'How many?', schema: WORLD_FORM } },
    { id: 'hook', type: 'trigger.webhook', parameters: {} },
  ],
  edges: [
    { source: 'start', target: 'ask' },
    { source: 'ask', sourceHandle: 'approved', target: 'form' },
  ],
  settings: {
    timeoutSeconds: 3_600,
    rateLimit: { max: 10, windowSeconds: 60 },
    maxConcurrentExecutions: 3,
    cancelOn: [{ name: 'order.cancelled', key: '{{ $trigger.order }}' }],
  },
};

/** Adds a failure group to the workspace of an instance. */
export function addFailureGroup({ db, workspaceId }: Instance, lastExecutionId: string) {
  const seen = { runCount: 1, firstSeenAt: new Date(), lastSeenAt: new Date(), lastExecutionId };
  const kind = { fingerprint: uuidv7(), nodeType: 'http', code: 'HTTP_STATUS', message: 'The status is <number>' };
  return db.failureGroup.create({ data: { id: uuidv7(), workspaceId, ...kind, ...seen } });
}

/** What `buildWorld` put into an instance. */
export type World = Awaited<ReturnType<typeof buildWorld>>;

/** Adds an empty file that a run names. @returns its id. */
async function addFile({ db, workspaceId }: Instance, executionId: string): Promise<string> {
  const id = uuidv7();
  await db.file.create({ data: { id, workspaceId, sha256: new Uint8Array(32), bytes: 0, isApart: false } });
  await db.executionFile.create({ data: { executionId, fileId: id } });
  return id;
}

/** Makes one of everything that a body or a path can name, each in a state that a valid request would change. */
export async function buildWorld(given: Instance) {
  const { gateway, session, workspaceId } = given;
  const post = async <Path extends string>(path: Path, body: object) => {
    const answer = await gateway.call('POST', path, { as: session, body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const workflowId = await createWorkflow(given, WORLD_DEFINITION);
  const worker = await startTestWorker(given);
  const run = async (status: string): Promise<string> => {
    const { executionId } = await post(`/api/workflows/${workflowId}/execute`, { executionMode: 'debug' });
    const read = () => gateway.call('GET', `/api/executions/${executionId}`, { as: session });
    await until(async () => (await read()).body.status === status, status);
    return executionId;
  };
  const [asks, fills, paused, finished = ''] = await Promise.all(
    Array.from({ length: 4 }, () => run('waiting_for_input')),
  );
  await post('/api/approvals/submit', { executionId: fills, nodeId: 'ask', approved: true });
  await until(
    async () =>
      (await gateway.call('GET', `/api/executions/${fills}`, { as: session })).body.status === 'waiting_for_human',
  );
  await post(`/api/executions/${paused}/pause`, {});
  await post(`/api/executions/${finished}/stop`, {});
  await worker.stop();
  const started = await post(`/api/workflows/${workflowId}/execute`, {});
  const workflow = await gateway.call('GET', `/api/workflows/${workflowId}`, { as: session });
  const draft = { definition: WORLD_DEFINITION };
  await gateway.call('PUT', `/api/workflows/${workflowId}/draft`, { as: session, body: draft });
  const report = { counts: { converted: 0, review: 0, manual: 0 }, tasks: [], omittedTasks: 0, remarks: ['has tags'] };
  await given.db.importReport.create({ data: { workflowId, report } });
  const apiKey = await given.db.apiKey.findFirstOrThrow();
  const secret = { username: 'u', password: 'p' };
  const client = {
    ...{ grant: 'authorizationCode', clientId: 'c' },
    ...{ authorizationUrl: 'https://login.example/authorize', tokenUrl: 'https://login.example/token' },
  };
  return {
    workspaceId,
    workflowId,
    versionId: String(workflow.body.latestVersionId),
    ran: { asks: String(asks), fills: String(fills), paused: String(paused), finished },
    pending: started.executionId,
    keyId: apiKey.id,
    member: await addPerson(given, 'viewer'),
    stranger: await addPerson(given),
    leaver: await addPerson(given),
    folder: await post('/api/folders', { workspaceId, name: 'A' }),
    variable: await post('/api/variables', { workspaceId, name: 'a', value: 'b' }),
    connector: await post('/api/connectors', { workspaceId, ...TRACKER }),
    endpoint: await post('/api/event-endpoints', { workspaceId, url: 'https://example.com/events' }),
    credential: await post('/api/credentials', { workspaceId, name: 'a', type: 'basic', secret }),
    oauth: await post('/api/credentials', { workspaceId, name: 'o', type: 'oauth2', secret: client }),
    bulkAction: await post('/api/bulk-actions', { workspaceId, action: 'stop', executionIds: [finished] }),
    fileId: await addFile(given, finished),
    failureGroup: await addFailureGroup(given, finished),
    invite: await post(`/api/workspaces/${workspaceId}/invites`, { role: 'viewer' }),
  };
}
