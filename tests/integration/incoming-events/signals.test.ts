import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callWithKey, createWorkflow, type Instance, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const call = callWithKey(() => instance);

const EVENT = { name: 'order.{{ $trigger.body.status }}', key: '{{ $trigger.body.order }}' };

/** Creates an active workflow whose webhook sends events. @returns its id and the path of the webhook. */
async function signals(parameters: object = {}) {
  const hook = { id: 'hook', type: 'trigger.webhook', parameters: { mode: 'signal', event: EVENT, ...parameters } };
  const workflowId = await createWorkflow(instance, { nodes: [hook], edges: [] });
  await call('PATCH', `/api/workflows/${workflowId}`, { status: 'active' });
  const { suffix } = await instance.db.webhook.findFirstOrThrow({ where: { workflowId } });
  return { workflowId, suffix, path: `/webhook/${suffix}` };
}

const request = (path: string, body: object, headers: Record<string, string> = {}) =>
  instance.gateway.call('POST', path, { body, headers });
const eventsOf = (key: string) => instance.db.event.findMany({ where: { key } });

describe('a webhook in the mode signal', () => {
  it('sends an event with the request, and starts no run', async () => {
    const { path, workflowId } = await signals({ responseCode: 202 });
    const { status, body } = await request(path, { status: 'paid', order: 'A-1' });
    expect([status, body]).toMatchObject([202, { message: 'Event received' }]);
    const [event, ...others] = await eventsOf('A-1');
    expect(others).toEqual([]);
    expect(event).toMatchObject({ name: 'order.paid', workspaceId: instance.workspaceId, matchedAt: null });
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ body: { order: 'A-1' }, method: 'POST' });
    expect(await instance.db.execution.count({ where: { workflowId } })).toBe(0);
  });

  it('sends one event for requests with the same id', async () => {
    const { path } = await signals({ idempotencyKey: "{{ $trigger.headers['x-delivery'] }}" });
    const other = await signals({ idempotencyKey: "{{ $trigger.headers['x-delivery'] }}" });
    const body = { status: 'paid', order: 'A-2' };
    const first = await request(path, body, { 'x-delivery': 'd-1' });
    const second = await request(path, { ...body, attempt: 2 }, { 'x-delivery': 'd-1' });
    expect([first.headers.has('idempotency-replayed'), second.headers.has('idempotency-replayed')]).toEqual([
      false,
      true,
    ]);
    expect(second.body).toEqual(first.body);
    await request(other.path, body, { 'x-delivery': 'd-1' });
    await call('POST', '/api/events', { workspaceId: instance.workspaceId, name: 'order.paid', key: 'A-2', id: 'd-1' });
    expect(await eventsOf('A-2')).toHaveLength(3);
  });

  it('refuses a request without a name or a valid key, and one with a wrong secret', async () => {
    const { path } = await signals();
    expect((await request(path, { status: 'a b', order: 'A-3' })).status).toBe(400);
    expect((await request(path, { status: 'paid', order: { of: 'an object' } })).status).toBe(400);
    const secret = await signals({ secret: 'a secret' });
    expect((await request(secret.path, { status: 'paid', order: 'A-3' })).status).toBe(401);
    expect(await eventsOf('A-3')).toEqual([]);
  });

  it('sends nothing by its test URL, and while its workflow is inactive', async () => {
    const { path, workflowId, suffix } = await signals();
    await call('POST', `/api/workflows/${workflowId}/webhooks/hook/test`);
    const tried = await request(`/webhook-test/${suffix}`, { status: 'paid', order: 'A-4' });
    expect([tried.status, tried.body]).toMatchObject([200, { event: { name: 'order.paid', key: 'A-4' } }]);
    await call('PATCH', `/api/workflows/${workflowId}`, { status: 'inactive' });
    expect((await request(path, { status: 'paid', order: 'A-4' })).status).toBe(410);
    expect(await eventsOf('A-4')).toEqual([]);
  });

  it('needs an event, and no options of runs', async () => {
    const faults: readonly [path: string, parameters: object][] = [
      ['event', { mode: 'signal' }],
      ['event', { event: EVENT }],
      ['event.key', { mode: 'signal', event: { name: 'a', key: '{{ $nodes.a.output }}' } }],
      ['responseMode', { mode: 'signal', event: EVENT, responseMode: 'onCompletion' }],
      ['options', { mode: 'signal', event: EVENT, options: { tags: ['a'] } }],
    ];
    for (const [path, parameters] of faults) {
      const definition = { nodes: [{ id: 'hook', type: 'trigger.webhook', parameters }], edges: [] };
      const body = { workspaceId: instance.workspaceId, name: 'Bad', definition };
      const refused = await call('POST', '/api/workflows', body);
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { details: [{ path: `definition.nodes[0].parameters.${path}` }] },
      ]);
    }
  });
});
