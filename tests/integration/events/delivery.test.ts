import type { EventEndpoint } from '@deckhand/contracts';
import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  addPerson,
  callWithKey,
  countLockWaits,
  createWorkflow,
  type EventReceiver,
  type Instance,
  type ReceivedEvent,
  startEventReceiver,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
const call = callWithKey(() => instance);

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance, { publicUrl: 'https://deckhand.example' });
});
afterAll(stopAll);

const START = { id: 'start', type: 'trigger.manual', parameters: {} };
const SUCCEEDS = { nodes: [START], edges: [] };
const FAILS = {
  nodes: [START, { id: 'no', type: 'fail', parameters: { message: 'no' } }],
  edges: [{ source: 'start', target: 'no' }],
};
const ASKS = {
  nodes: [
    START,
    { id: 'ask', type: 'approval', parameters: { message: 'Well?' } },
    { id: 'form', type: 'human', parameters: { title: 'How many?', schema: { type: 'object' } } },
  ],
  edges: [
    { source: 'start', target: 'ask' },
    { source: 'ask', sourceHandle: 'approved', target: 'form' },
  ],
};

interface Created extends EventEndpoint {
  readonly secret: { readonly secret: string | null; readonly publicKey: string | null };
}

/** Creates an endpoint for the events of one workflow, so that tests do not see each other's. */
async function listen(receiver: EventReceiver, definition: object, options: object = {}) {
  const workflowId = await createWorkflow(instance, definition);
  const { status, body, text } = await call('POST', '/api/event-endpoints', {
    workspaceId: instance.workspaceId,
    url: receiver.url,
    workflowIds: [workflowId],
    ...options,
  });
  if (status !== 201) throw new Error(text);
  const endpoint: Created = body;
  return { workflowId, endpoint };
}

async function start(workflowId: string, body: object = {}): Promise<string> {
  return (await call('POST', `/api/workflows/${workflowId}/execute`, body)).body.executionId;
}

const statusOf = async (id: string) => (await instance.db.execution.findUniqueOrThrow({ where: { id } })).status;
const deliveriesOf = async (endpointId: string) =>
  (await call('GET', `/api/event-endpoints/${endpointId}/deliveries`)).body.data;

function headersOf({ headers }: ReceivedEvent): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

describe('events of a run', () => {
  it('are sent to endpoints with one of its tags, of whatever kind they are', async () => {
    const receiver = await startEventReceiver();
    const { workflowId, endpoint } = await listen(receiver, ASKS, { tags: ['gold', 'silver'] });
    expect(endpoint.tags).toEqual(['gold', 'silver']);
    const other = await start(workflowId, { tags: ['bronze'] });
    const none = await start(workflowId);
    const id = await start(workflowId, { tags: ['x', 'gold'] });
    for (const each of [other, none, id]) await until(async () => (await statusOf(each)) === 'waiting_for_input');
    for (const each of [other, id]) {
      await call('POST', '/api/approvals/submit', { executionId: each, nodeId: 'ask', approved: true });
      await until(async () => (await statusOf(each)) === 'waiting_for_human');
      await call('POST', `/api/executions/${each}/stop`);
    }
    const expected = ['run.started', 'approval.requested', 'approval.decided', 'human_task.requested', 'run.stopped'];
    await until(() => receiver.typesOf(id).length === expected.length);
    expect(receiver.typesOf(id)).toEqual(expected);
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
    expect(receiver.events.filter(({ payload }) => payload.data.executionId !== id)).toEqual([]);
    const path = `/api/event-endpoints/${endpoint.id}` as const;
    expect((await call('PATCH', path, { tags: null })).body).toMatchObject({ tags: null });
    const free = await start(workflowId);
    await until(() => receiver.typesOf(free).length === 2);
    expect((await deliveriesOf(endpoint.id)).some(({ type }) => type === 'workflow.activated')).toBe(false);
  });

  it('are sent in order, signed as the reference library verifies it, with a thin payload', async () => {
    const receiver = await startEventReceiver();
    const { workflowId, endpoint } = await listen(receiver, SUCCEEDS);
    const id = await start(workflowId);
    await until(() => receiver.typesOf(id).length === 2);
    expect(receiver.typesOf(id)).toEqual(['run.started', 'run.succeeded']);
    const webhook = new Webhook(endpoint.secret.secret ?? '');
    for (const event of receiver.events) expect(webhook.verify(event.body, headersOf(event))).toEqual(event.payload);
    const [, last] = receiver.events;
    expect(last).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
    const run = await call('GET', `/api/executions/${id}`);
    expect(last?.payload).toEqual({
      type: 'run.succeeded',
      timestamp: run.body.finishedAt,
      data: {
        workspaceId: instance.workspaceId,
        workflowId,
        executionId: id,
        status: 'success',
        etag: run.headers.get('etag'),
        link: `https://deckhand.example/api/executions/${id}`,
      },
    });
    await until(async () => (await deliveriesOf(endpoint.id)).every(({ status }) => status === 'delivered'));
    expect(await deliveriesOf(endpoint.id)).toMatchObject([
      { type: 'run.succeeded', status: 'delivered', attemptCount: 1, attempts: [{ status: 204, error: null }] },
      { type: 'run.started', status: 'delivered', webhookId: receiver.events[0]?.id },
    ]);
  });

  it('are sent when a run fails, is stopped, or times out while it rests', async () => {
    const receiver = await startEventReceiver();
    const failing = await start((await listen(receiver, FAILS)).workflowId);
    const { workflowId: asking } = await listen(receiver, ASKS);
    const stopped = await start(asking);
    const { workflowId: hasty } = await listen(receiver, { ...ASKS, settings: { timeoutSeconds: 3_600 } });
    const late = await start(hasty);
    for (const id of [stopped, late]) await until(async () => (await statusOf(id)) === 'waiting_for_input');
    await instance.db.execution.update({ where: { id: late }, data: { deadlineAt: new Date() } });
    await call('POST', `/api/executions/${stopped}/stop`);
    await until(() => [failing, stopped, late].every((id) => receiver.typesOf(id).length >= 2));
    expect(receiver.typesOf(failing)).toEqual(['run.started', 'run.failed']);
    await until(() => receiver.typesOf(stopped).length === 3);
    expect(receiver.typesOf(stopped)).toEqual(['run.started', 'approval.requested', 'run.stopped']);
    await until(() => receiver.typesOf(late).length === 3);
    expect(receiver.typesOf(late)).toEqual(['run.started', 'approval.requested', 'run.timed_out']);
  });

  it('are sent for approvals and human tasks, with their nodes', async () => {
    const receiver = await startEventReceiver();
    const { workflowId } = await listen(receiver, ASKS);
    const id = await start(workflowId);
    await until(async () => (await statusOf(id)) === 'waiting_for_input');
    await call('POST', '/api/approvals/submit', { executionId: id, nodeId: 'ask', approved: true });
    await until(async () => (await statusOf(id)) === 'waiting_for_human');
    await call('POST', `/api/executions/${id}/nodes/form/complete`, { data: {} });
    await until(() => receiver.typesOf(id).includes('run.succeeded'));
    expect(receiver.events.map(({ payload: { type, data } }) => [type, data.nodeId])).toEqual([
      ['run.started', undefined],
      ['approval.requested', 'ask'],
      ['approval.decided', 'ask'],
      ['human_task.requested', 'form'],
      ['human_task.completed', 'form'],
      ['run.succeeded', undefined],
    ]);
  });

  it('of tries are not sent, nor those that the filters of an endpoint leave out', async () => {
    const receiver = await startEventReceiver();
    const { workflowId } = await listen(receiver, SUCCEEDS, { eventTypes: ['run.succeeded', 'workflow.activated'] });
    const tried = await start(workflowId, { executionMode: 'test' });
    const other = await start(await createWorkflow(instance, SUCCEEDS));
    await until(async () => (await statusOf(tried)) === 'success' && (await statusOf(other)) === 'success');
    const id = await start(workflowId);
    await until(() => receiver.events.length === 1);
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
    await until(() => receiver.events.length === 2);
    expect(receiver.events.map(({ payload }) => payload)).toMatchObject([
      { type: 'run.succeeded', data: { executionId: id } },
      {
        type: 'workflow.activated',
        data: { workflowId, link: `https://deckhand.example/api/workflows/${workflowId}` },
      },
    ]);
    // A change that does not change what is active is not an activation.
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'inactive' });
    expect(await instance.db.eventDelivery.count({ where: { workflowId } })).toBe(2);
  });

  it('leave no row where no endpoint wants them', async () => {
    const before = await instance.db.eventDelivery.count();
    const id = await start(await createWorkflow(instance, SUCCEEDS));
    await until(async () => (await statusOf(id)) === 'success');
    expect(await instance.db.eventDelivery.count()).toBe(before);
  });
});

describe('a receiver', () => {
  it('with a public key verifies ed25519 signatures, and nobody reads the private key', async () => {
    const receiver = await startEventReceiver();
    const { workflowId, endpoint } = await listen(receiver, SUCCEEDS, { signature: 'v1a' });
    await start(workflowId);
    const event = await until(() => receiver.events[0]);
    const { publicKey, secret } = endpoint.secret;
    expect(secret).toBeNull();
    const x = Buffer.from(publicKey?.replace('whpk_', '') ?? '', 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature = '' } = headersOf(event);
    const [version, text = ''] = signature.split(',');
    expect(version).toBe('v1a');
    expect(verify(null, Buffer.from(`${id}.${at}.${event.body}`), key, Buffer.from(text, 'base64'))).toBe(true);
    const stored = await instance.db.eventSecret.findMany();
    expect(JSON.stringify(stored)).not.toMatch(/wh(sec|sk)_/);
  });

  it('may use the former or the new secret during a rotation, and only the new one afterwards', async () => {
    const receiver = await startEventReceiver();
    const { workflowId, endpoint } = await listen(receiver, SUCCEEDS, { eventTypes: ['run.started'] });
    const path = `/api/event-endpoints/${endpoint.id}` as const;
    const rotated = await call('POST', `${path}/rotate-secret`);
    await start(workflowId);
    const event = await until(() => receiver.events[0]);
    for (const { secret } of [endpoint.secret, rotated.body]) {
      expect(new Webhook(secret ?? '').verify(event.body, headersOf(event))).toEqual(event.payload);
    }
    const last = await call('POST', `${path}/rotate-secret`, { overlapSeconds: 0 });
    await start(workflowId);
    const next = await until(() => receiver.events[1]);
    expect(() => new Webhook(rotated.body.secret ?? '').verify(next.body, headersOf(next))).toThrow();
    expect(new Webhook(last.body.secret ?? '').verify(next.body, headersOf(next))).toEqual(next.payload);
    const shown = await instance.gateway.call('GET', `${path}/secrets`, { as: instance.session });
    expect(shown.body.data.map(({ secret }) => secret)).toEqual([last.body.secret]);
    expect((await call('GET', `${path}/secrets`)).status).toBe(403);
  });

  it('that fails gets the event again with the same id, and the later events of the run only after it', async () => {
    let failures = 0;
    const receiver = await startEventReceiver(({ payload }) => {
      if (payload.type !== 'run.started' || failures > 0) return { status: 200, body: 'x'.repeat(200_000) };
      failures += 1;
      return { status: 500 };
    });
    const { workflowId, endpoint } = await listen(receiver, SUCCEEDS);
    const id = await start(workflowId);
    await until(() => receiver.typesOf(id).length === 3);
    expect(receiver.typesOf(id)).toEqual(['run.started', 'run.started', 'run.succeeded']);
    expect(receiver.events[0]?.id).toBe(receiver.events[1]?.id);
    await until(async () => (await deliveriesOf(endpoint.id)).every(({ status }) => status === 'delivered'));
    expect((await deliveriesOf(endpoint.id))[1]).toMatchObject({
      attemptCount: 2,
      attempts: [{ status: 500, error: 'the receiver responded with 500' }, { status: 200 }],
    });
  });

  it('that asks for a pause with Retry-After gets one', async () => {
    const receiver = await startEventReceiver(() => ({ status: 429, headers: { 'retry-after': '600' } }));
    const { workflowId, endpoint } = await listen(receiver, SUCCEEDS, { eventTypes: ['run.started'] });
    await start(workflowId);
    const [delivery] = await until(async () => {
      const found = await deliveriesOf(endpoint.id);
      return found[0]?.attempts.length === 1 && found;
    });
    const waitMs = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.attempts[0]?.at ?? '');
    expect(waitMs).toBeGreaterThan(595_000);
    expect(waitMs).toBeLessThan(700_000);
    const row = await instance.db.eventEndpoint.findUniqueOrThrow({ where: { id: endpoint.id } });
    expect(row.throttledUntil?.getTime()).toBeGreaterThan(Date.now() + 500_000);
  });

  it('that redirects is not followed', async () => {
    const target = await startEventReceiver();
    const receiver = await startEventReceiver(() => ({ status: 307, headers: { location: target.url } }));
    const { workflowId, endpoint } = await listen(receiver, SUCCEEDS, { eventTypes: ['run.started'] });
    await start(workflowId);
    await until(async () => (await deliveriesOf(endpoint.id))[0]?.attempts[0]?.status === 307);
    expect(target.events).toEqual([]);
  });

  it('that is gone (410) is disabled, which the audit log shows, and gets nothing until it is enabled', async () => {
    let status = 410;
    const receiver = await startEventReceiver(() => ({ status }));
    const { workflowId, endpoint } = await listen(receiver, SUCCEEDS, { eventTypes: ['run.started'] });
    const path = `/api/event-endpoints/${endpoint.id}` as const;
    await start(workflowId);
    const disabled = await until(async () => {
      const { body } = await call('GET', path);
      return !body.enabled && body;
    });
    expect(disabled).toMatchObject({ disabledReason: 'gone' });
    const log = await call('GET', `/api/audit-log?workspaceId=${instance.workspaceId}`);
    expect(log.body.data).toContainEqual(
      expect.objectContaining({
        action: 'event-endpoint.disable',
        resourceId: endpoint.id,
        details: { reason: 'gone' },
      }),
    );
    const id = await start(workflowId);
    await until(async () => (await statusOf(id)) === 'success');
    expect(await deliveriesOf(endpoint.id)).toHaveLength(1);
    status = 200;
    expect((await call('POST', `${path}/replay`, { since: '2020-01-01' })).body.code).toBe('INVALID_STATE');
    await call('PATCH', path, { enabled: true });
    const replayed = await call('POST', `${path}/replay`, { since: '2020-01-01' });
    expect(replayed.body).toEqual({ replayed: 1, nextSince: null });
    await until(() => receiver.events.length === 2);
    expect(receiver.events[1]?.id).toBe(receiver.events[0]?.id);
  });

  it('that failed for days is disabled, but one that fails since yesterday is not', async () => {
    const receiver = await startEventReceiver(() => ({ status: 503 }));
    const old = await listen(receiver, SUCCEEDS, { eventTypes: ['run.started'] });
    const recent = await listen(receiver, SUCCEEDS, { eventTypes: ['run.started'] });
    const failedSince = (id: string, days: number) =>
      instance.db.eventEndpoint.update({
        where: { id },
        data: { failureCount: 20, failingSince: new Date(Date.now() - days * 86_400_000) },
      });
    await failedSince(old.endpoint.id, 6);
    await failedSince(recent.endpoint.id, 1);
    await start(old.workflowId);
    await start(recent.workflowId);
    await until(async () => (await deliveriesOf(recent.endpoint.id))[0]?.attempts.length === 1);
    await until(
      async () => (await call('GET', `/api/event-endpoints/${old.endpoint.id}`)).body.disabledReason !== null,
    );
    expect((await call('GET', `/api/event-endpoints/${old.endpoint.id}`)).body.disabledReason).toBe('failing');
    expect((await call('GET', `/api/event-endpoints/${recent.endpoint.id}`)).body.enabled).toBe(true);
  });

  it('that never responds delays no other', async () => {
    const silent = await startEventReceiver(() => ({ status: 200, after: new Promise(() => undefined) }));
    const prompt = await startEventReceiver();
    const { workflowId } = await listen(silent, SUCCEEDS);
    await call('POST', '/api/event-endpoints', {
      workspaceId: instance.workspaceId,
      url: prompt.url,
      workflowIds: [workflowId],
    });
    const ids = await Promise.all(Array.from({ length: 40 }, () => start(workflowId)));
    await until(() => ids.every((id) => prompt.typesOf(id).length === 2));
    expect(silent.events.length).toBeLessThanOrEqual(32);
    for (const id of ids) expect(prompt.typesOf(id)).toEqual(['run.started', 'run.succeeded']);
  });
});

describe('people', () => {
  it('send a test event, and a delivered event again', async () => {
    const receiver = await startEventReceiver();
    const { endpoint } = await listen(receiver, SUCCEEDS, { eventTypes: ['run.failed'] });
    const path = `/api/event-endpoints/${endpoint.id}` as const;
    const sent = await call('POST', `${path}/test`);
    expect(sent.body).toMatchObject({ type: 'endpoint.test', status: 'pending' });
    await until(async () => (await deliveriesOf(endpoint.id))[0]?.status === 'delivered');
    const again = await call('POST', `${path}/deliveries/${sent.body.id}/replay`);
    expect(again.status).toBe(202);
    await until(() => receiver.events.length === 2);
    expect(new Set(receiver.events.map(({ id }) => id))).toEqual(new Set([sent.body.webhookId]));
  });

  it('below admins see and change nothing', async () => {
    const receiver = await startEventReceiver();
    const { endpoint } = await listen(receiver, SUCCEEDS);
    const editor = await addPerson(instance, 'editor');
    const path = `/api/event-endpoints/${endpoint.id}` as const;
    const as = editor.session;
    expect((await instance.gateway.call('GET', path, { as })).status).toBe(403);
    expect((await instance.gateway.call('GET', `${path}/secrets`, { as })).status).toBe(403);
    expect((await instance.gateway.call('DELETE', path, { as })).status).toBe(403);
  });

  it('delete an endpoint with all that it has', async () => {
    const receiver = await startEventReceiver(() => ({ status: 500 }));
    const { workflowId, endpoint } = await listen(receiver, SUCCEEDS);
    const id = await start(workflowId);
    await until(() => receiver.typesOf(id).length === 1);
    expect((await call('DELETE', `/api/event-endpoints/${endpoint.id}`)).status).toBe(204);
    const endpointId = endpoint.id;
    await until(async () => (await instance.db.eventDelivery.count({ where: { endpointId } })) === 0);
    expect(await instance.db.eventSecret.count({ where: { endpointId } })).toBe(0);
  });

  it('have at most 20 endpoints in a workspace, with workflows of that workspace', async () => {
    const count = await instance.db.eventEndpoint.count();
    const create = (body: object = {}) =>
      call('POST', '/api/event-endpoints', { workspaceId: instance.workspaceId, url: 'https://example.com', ...body });
    expect((await create({ workflowIds: [instance.workspaceId] })).body.details).toEqual([
      { path: 'workflowIds[0]', message: 'is not a workflow of this workspace' },
    ]);
    const created = await Promise.all(Array.from({ length: 19 - count }, () => create()));
    expect(created.every(({ status }) => status === 201)).toBe(true);
    // Nobody can insert until both wait: without the lock of the workspace, both would have counted by then.
    const last = await instance.db.$transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE event_endpoints IN SHARE MODE`;
      const requests = [create(), create()];
      await until(async () => (await countLockWaits(instance.db)) >= 2, 'two requests that wait');
      return requests;
    });
    expect((await Promise.all(last)).map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});
