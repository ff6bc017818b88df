import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  createHook,
  type Hook,
  type Instance,
  sendHook,
  startInstance,
  stopAll,
  triggerOf,
  until,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends a request and returns its entry in the list of deliveries. */
async function deliver(hook: Hook, init: RequestInit = {}): Promise<{ id: string; executionId: string | null }> {
  await sendHook(instance.gateway, hook.path, { body: '{"order":17}', headers: JSON_TYPE, ...init });
  const path = `/api/workflows/${hook.workflowId}/deliveries` as const;
  return until(
    async () => (await instance.gateway.call('GET', path, { as: instance.session })).body.data[0],
    'a delivery',
  );
}

function replay(hook: Hook, deliveryId: string, headers = {}) {
  const path = `/api/workflows/${hook.workflowId}/deliveries/${deliveryId}/replay` as const;
  return instance.gateway.call('POST', path, { as: instance.key, headers });
}

describe('replaying a delivery', () => {
  it('starts another run of the active version with the same payload', async () => {
    const hook = await createHook(instance, {});
    const delivery = await deliver(hook);
    const { db } = instance;
    const definition = { nodes: [{ id: 'hook', type: 'trigger.webhook' }], edges: [] };
    const versions = `/api/workflows/${hook.workflowId}/versions` as const;
    const saved = await instance.gateway.call('POST', versions, { as: instance.session, body: { definition } });
    const activeVersionId = saved.body.workflowVersionId;
    await instance.gateway.call('PATCH', `/api/workflows/${hook.workflowId}`, {
      as: instance.session,
      body: { activeVersionId },
    });
    const { status, body } = await replay(hook, delivery.id);
    expect(status).toBe(202);
    expect(await triggerOf(instance, body.executionId)).toEqual(await triggerOf(instance, delivery.executionId ?? ''));
    expect(await db.execution.findUnique({ where: { id: body.executionId } })).toMatchObject({
      workflowVersionId: activeVersionId,
      rerunOf: delivery.executionId,
      source: 'rerun',
      executionMode: 'normal',
    });
  });

  it('starts one run for one Idempotency-Key', async () => {
    const hook = await createHook(instance, {});
    const delivery = await deliver(hook);
    const headers = { 'idempotency-key': 'replay-1' };
    const first = await replay(hook, delivery.id, headers);
    const second = await replay(hook, delivery.id, headers);
    expect(second.body.executionId).toBe(first.body.executionId);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it('422 for a request that started no run, and for one whose data was deleted', async () => {
    const hook = await createHook(instance, { secret: 'a secret of the sender' });
    const refused = await deliver(hook);
    expect(refused.executionId).toBeNull();
    expect((await replay(hook, refused.id)).body.code).toBe('TRIGGER_DATA_GONE');
    const open = await createHook(instance, {});
    const delivery = await deliver(open);
    await instance.db.execution.updateMany({ where: { workflowId: open.workflowId }, data: { triggerData: null } });
    expect((await replay(open, delivery.id)).body.code).toBe('TRIGGER_DATA_GONE');
  });

  it('404 for a delivery of another workflow, and for none', async () => {
    const hook = await createHook(instance, {});
    const other = await createHook(instance, {});
    const delivery = await deliver(other);
    expect((await replay(hook, delivery.id)).status).toBe(404);
    expect((await replay(hook, uuidv7())).status).toBe(404);
  });
});
