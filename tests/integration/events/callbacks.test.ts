import { addCallbackLanes, takeEventDeliveries } from '@deckhand/db';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  addPerson,
  countLockWaits,
  createWorkflow,
  type Instance,
  type ReceivedEvent,
  startEventReceiver,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;

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

const execute = (workflowId: string, body: object, key = '') =>
  instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, {
    as: instance.key,
    body,
    headers: key === '' ? {} : { 'idempotency-key': key },
  });
const start = async (workflowId: string, body: object) => (await execute(workflowId, body)).body.executionId;
const secretsPath = () => `/api/workspaces/${instance.workspaceId}/callback-secrets` as const;
const secrets = async (as = instance.session) => instance.gateway.call('GET', secretsPath(), { as });
const lanes = () => instance.db.eventEndpoint.findMany({ where: { callbackLane: { not: null } } });
const deliveriesOf = (executionId: string) => instance.db.eventDelivery.findMany({ where: { executionId } });

function headersOf({ headers }: ReceivedEvent): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

describe('the callback of a run', () => {
  it('gets the end of the run, signed with the secret of the workspace', async () => {
    const receiver = await startEventReceiver();
    const succeeds = await createWorkflow(instance, SUCCEEDS);
    const fails = await createWorkflow(instance, FAILS);
    const [good, bad, without] = [
      await start(succeeds, { callbackUrl: receiver.url }),
      await start(fails, { callbackUrl: receiver.url }),
      await start(succeeds, {}),
    ];
    await until(() => receiver.events.length === 2);
    const done = async () => (await instance.db.execution.findUniqueOrThrow({ where: { id: without } })).finishedAt;
    await until(async () => (await done()) !== null);
    expect([receiver.typesOf(good), receiver.typesOf(bad)]).toEqual([['run.succeeded'], ['run.failed']]);
    expect(await deliveriesOf(without)).toEqual([]);
    const { data } = (await secrets()).body;
    expect(data).toHaveLength(1);
    const webhook = new Webhook(data[0]?.secret ?? '');
    for (const event of receiver.events) expect(webhook.verify(event.body, headersOf(event))).toEqual(event.payload);
    expect(receiver.events.find(({ payload }) => payload.data.executionId === good)?.payload).toMatchObject({
      type: 'run.succeeded',
      data: { workflowId: succeeds, status: 'success', link: `https://deckhand.example/api/executions/${good}` },
    });
  });

  it('is in the log of the run with its attempts, and is sent again, with the same id', async () => {
    let status = 410;
    const receiver = await startEventReceiver(() => ({ status }));
    const workflowId = await createWorkflow(instance, SUCCEEDS);
    const id = await start(workflowId, { callbackUrl: receiver.url });
    const path = `/api/executions/${id}/callbacks` as const;
    const list = async () => (await instance.gateway.call('GET', path, { as: instance.key })).body.data;
    const replay = (deliveryId: string, as = instance.key) =>
      instance.gateway.call('POST', `${path}/${deliveryId}/replay`, { as });
    const failed = await until(async () => {
      const [callback] = await list();
      return callback?.status === 'failed' && callback;
    });
    expect(failed).toMatchObject({
      ...{ type: 'run.succeeded', attemptCount: 1, nextAttemptAt: null, attempts: [{ status: 410 }] },
    });
    expect(JSON.stringify(failed)).not.toContain(receiver.url);

    status = 204;
    expect(await replay(failed.id)).toMatchObject({ status: 202, body: { id: failed.id, status: 'pending' } });
    await until(async () => (await list())[0]?.status === 'delivered');
    expect((await list())[0]?.attempts.map((attempt) => attempt.status)).toEqual([410, 204]);
    expect(new Set(receiver.events.map((event) => event.id))).toEqual(new Set([failed.webhookId]));
    const [audit] = await instance.db.auditEntry.findMany({ where: { action: 'execution.replayCallback' } });
    expect(audit).toMatchObject({ resourceType: 'execution', resourceId: id, details: { deliveryId: failed.id } });

    // Another run's, an event of an endpoint, and one whose URL was deleted.
    const other = await start(workflowId, {});
    const foreign = `/api/executions/${other}/callbacks` as const;
    expect((await instance.gateway.call('GET', foreign, { as: instance.key })).body.data).toEqual([]);
    const ofOther = await instance.gateway.call('POST', `${foreign}/${failed.id}/replay`, { as: instance.key });
    expect(ofOther.status).toBe(404);
    await instance.gateway.call('POST', `/api/executions/${id}/redact`, { as: instance.key });
    expect(await list()).toEqual([]);
    expect((await replay(failed.id)).status).toBe(404);
  });

  it('is sent again by one of two requests at once, and not once its run is redacted meanwhile', async () => {
    const { db } = instance;
    const receiver = await startEventReceiver();
    const id = await start(await createWorkflow(instance, SUCCEEDS), { callbackUrl: receiver.url });
    await until(async () => (await deliveriesOf(id))[0]?.status === 'delivered');
    const deliveryId = (await deliveriesOf(id))[0]?.id ?? '';
    const path = `/api/executions/${id}/callbacks/${deliveryId}/replay` as const;
    const replay = async () => (await instance.gateway.call('POST', path, { as: instance.key })).status;

    expect((await Promise.all([replay(), replay()])).toSorted()).toEqual([202, 409]);
    await until(() => receiver.events.length === 2);
    await until(async () => (await deliveriesOf(id))[0]?.status === 'delivered');

    let late: Promise<number> | undefined;
    await db.$transaction(async (tx) => {
      await tx.execution.update({ where: { id }, data: { callbackUrl: null } });
      await tx.eventDelivery.updateMany({ where: { executionId: id }, data: { url: null } });
      late = replay();
      await until(async () => (await countLockWaits(db, 'transactionid')) === 1);
    });
    expect(await late).toBe(404);
    expect((await deliveriesOf(id))[0]?.status).toBe('delivered');
  });

  it('is signed with both secrets after a rotation, and with the new one alone after the overlap', async () => {
    const receiver = await startEventReceiver();
    const workflowId = await createWorkflow(instance, SUCCEEDS);
    await start(workflowId, { callbackUrl: receiver.url });
    await until(() => receiver.events.length === 1);
    const [former] = (await secrets()).body.data;
    const rotate = (body: object) =>
      instance.gateway.call('POST', `${secretsPath()}/rotate`, { as: instance.session, body });
    const next = (await rotate({ overlapSeconds: 60 })).body;
    await start(workflowId, { callbackUrl: receiver.url });
    await until(() => receiver.events.length === 2);
    for (const { secret } of [former!, next]) {
      const event = receiver.events[1]!;
      expect(new Webhook(secret ?? '').verify(event.body, headersOf(event))).toEqual(event.payload);
    }
    const last = (await rotate({ overlapSeconds: 0 })).body;
    await start(workflowId, { callbackUrl: receiver.url });
    await until(() => receiver.events.length === 3);
    const event = receiver.events[2]!;
    expect(String(event.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(new Webhook(last.secret ?? '').verify(event.body, headersOf(event))).toEqual(event.payload);
  });

  it('is one of each item of a batch, and part of what a key stands for', async () => {
    const receiver = await startEventReceiver();
    const workflowId = await createWorkflow(instance, SUCCEEDS);
    const items = [{ callbackUrl: receiver.url }, {}, { callbackUrl: `${receiver.url}/second` }];
    const { body } = await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute/batch`, {
      as: instance.key,
      body: items,
    });
    expect(body.accepted).toBe(3);
    await until(() => receiver.events.length === 2);
    expect((await execute(workflowId, { callbackUrl: receiver.url }, 'once')).status).toBe(202);
    expect((await execute(workflowId, { callbackUrl: `${receiver.url}/other` }, 'once')).status).toBe(409);
  });

  it('is sent again after a failure, and not after a 410, which concerns no other callback', async () => {
    let failures = 0;
    const receiver = await startEventReceiver(({ path }) => {
      if (path.endsWith('/gone')) return { status: 410 };
      failures += 1;
      return { status: failures === 1 ? 503 : 204, headers: { 'retry-after': '3600' } };
    });
    const workflowId = await createWorkflow(instance, SUCCEEDS);
    const gone = await start(workflowId, { callbackUrl: `${receiver.url}/gone` });
    await until(async () => (await deliveriesOf(gone))[0]?.status === 'failed');
    const late = await start(workflowId, { callbackUrl: receiver.url });
    await until(async () => (await deliveriesOf(late))[0]?.attemptCount === 1 && failures === 1);
    expect((await lanes()).map(({ disabledAt, throttledUntil }) => [disabledAt, throttledUntil])).toEqual(
      Array.from({ length: 4 }, () => [null, null]),
    );
    // Due for a moment only: maintenance fails what is due for three days.
    const nextAttemptAt = new Date(Date.now() - 1_000);
    await instance.db.eventDelivery.updateMany({ where: { executionId: late }, data: { nextAttemptAt } });
    await until(async () => {
      const [delivery] = await deliveriesOf(late);
      expect(delivery).toMatchObject({ status: 'delivered' });
      return true;
    });
  });

  it('keeps no URL, and is sent no more, once the data of its run is deleted', async () => {
    let status = 204;
    const receiver = await startEventReceiver(() => ({ status }));
    const workflowId = await createWorkflow(instance, SUCCEEDS);
    const delivered = await start(workflowId, { callbackUrl: `${receiver.url}/token` });
    await until(async () => (await deliveriesOf(delivered))[0]?.status === 'delivered');
    status = 503;
    const pending = await start(workflowId, { callbackUrl: `${receiver.url}/token` });
    await until(async () => (await deliveriesOf(pending))[0]?.attemptCount === 1);
    for (const id of [delivered, pending]) {
      const { status: code } = await instance.gateway.call('POST', `/api/executions/${id}/redact`, {
        as: instance.key,
      });
      expect(code).toBeLessThan(300);
    }
    const empty = { url: null, attempts: [] };
    expect(await deliveriesOf(delivered)).toMatchObject([{ ...empty, status: 'delivered' }]);
    expect(await deliveriesOf(pending)).toMatchObject([{ ...empty, status: 'failed' }]);
  });

  it('is not an endpoint that anybody sees or that counts', async () => {
    expect(await lanes()).toHaveLength(4);
    const path = `/api/event-endpoints?workspaceId=${instance.workspaceId}` as const;
    expect((await instance.gateway.call('GET', path, { as: instance.session })).body.data).toEqual([]);
    const [lane] = await lanes();
    const one = `/api/event-endpoints/${lane?.id ?? ''}` as const;
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await instance.gateway.call(method, one, { as: instance.session })).status).toBe(404);
    }
  });

  it('has secrets that only admins who are signed in may read', async () => {
    const editor = await addPerson(instance, 'editor');
    const stranger = await addPerson(instance);
    expect((await secrets(editor.session)).status).toBe(403);
    expect((await secrets(stranger.session)).status).toBe(404);
    const byKey = await instance.gateway.call('GET', secretsPath(), { as: instance.key });
    expect([byKey.status, byKey.body]).toMatchObject([403, { code: 'SESSION_REQUIRED' }]);
  });

  it.each([
    ['callbackUrl', { callbackUrl: 'ftp://example.com' }],
    ['callbackUrl', { callbackUrl: 'https://user:secret@example.com/' }],
    ['callbackUrl', { callbackUrl: 'https://example.com/', executionMode: 'test' }],
    ['callbackUrl', { callbackUrl: 'https://example.com/', debounce: { key: 'a', delay: 1 } }],
  ])('is refused if it is not valid: %s %#', async (path, body) => {
    const { status, body: answer } = await execute(await createWorkflow(instance, SUCCEEDS), body);
    expect([status, answer.details?.[0]?.path]).toEqual([400, path]);
  });
});

describe('the lanes of callbacks', () => {
  it('are created once, with one secret, though many processes do so at the same time', async () => {
    const [lane] = await lanes();
    const { workspaceId } = instance;
    await Promise.all(Array.from({ length: 5 }, (_, n) => addCallbackLanes(instance.db, workspaceId, `sealed ${n}`)));
    expect((await lanes()).map(({ id }) => id)).toContain(lane?.id);
    expect(await lanes()).toHaveLength(4);
  });

  it('have few attempts in progress, whatever callers send', async () => {
    const [lane] = await lanes();
    const { db, workspaceId } = instance;
    const data = Array.from({ length: 40 }, (_, n) => ({
      endpointId: lane?.id ?? '',
      workspaceId,
      type: 'run.succeeded',
      url: `http://receiver.test/${n}`,
      // Not due for the worker of this file.
      nextAttemptAt: new Date(Date.now() + 3_600_000),
    }));
    await db.eventDelivery.createMany({ data });
    const endpointId = lane?.id ?? '';
    const holder = uuidv7();
    await db.eventEndpoint.update({
      where: { id: endpointId },
      data: { leaseHolder: holder, leasedUntil: new Date(Date.now() + 60_000) },
    });
    await db.eventDelivery.updateMany({ where: { endpointId }, data: { nextAttemptAt: new Date(Date.now() - 1_000) } });
    const lanesToTake = [{ endpointId, room: 256, held: [] }];
    const [taken] = await takeEventDeliveries(db, { holder, lanes: lanesToTake, minLeftMs: 0 });
    expect([taken?.maxInProgress, taken?.deliveries.length]).toEqual([8, 40]);
    await db.eventDelivery.deleteMany({ where: { endpointId: lane?.id ?? '' } });
  });
});
