import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  callWithKey,
  createHook,
  createWorkflow,
  type Instance,
  sendHook,
  startInstance,
  stopAll,
  hookDefinition,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const trigger = (id: string, disabled = false) => ({ id, type: 'trigger.manual', ...(disabled ? { disabled } : {}) });

it('a disabled webhook is a 410, also at its test URL, and starts nothing', async () => {
  const hook = await createHook(instance, {});
  expect((await sendHook(instance.gateway, hook.path)).status).toBe(200);
  const definition = hookDefinition({});
  const [node, ...rest] = definition.nodes;
  const disabled = { ...definition, nodes: [{ ...node, disabled: true }, trigger('other'), ...rest] };
  const path = `/api/workflows/${hook.workflowId}` as const;
  const saved = await call('POST', `${path}/versions`, { definition: disabled });
  expect(saved.status).toBe(201);
  await call('PATCH', path, { status: 'active' });
  const { status, body } = await sendHook(instance.gateway, hook.path);
  expect([status, body.code, body.error]).toEqual([
    410,
    'WEBHOOK_INACTIVE',
    'The trigger is disabled: enable it first',
  ]);
  expect(await instance.db.execution.count({ where: { workflowId: hook.workflowId } })).toBe(1);
});

it('execute starts from the first trigger that is not disabled, and refuses a disabled one', async () => {
  const workflowId = await createWorkflow(instance, { nodes: [trigger('off', true), trigger('on')], edges: [] });
  const execute = (body: object) => call('POST', `/api/workflows/${workflowId}/execute`, body);
  const { body } = await execute({});
  expect((await call('GET', `/api/executions/${body.executionId}`)).body.data.triggerNodeId).toBe('on');
  expect(await execute({ triggerNodeId: 'off' })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'triggerNodeId', message: '"off" is not a trigger of the version, or is disabled' }] },
  });
  const all = await createWorkflow(instance, { nodes: [trigger('off', true)], edges: [] });
  expect(await call('POST', `/api/workflows/${all}/execute`)).toMatchObject({
    status: 409,
    body: { code: 'INVALID_STATE' },
  });
});

it('a run of a trigger that was disabled since can be rerun, with its trigger data', async () => {
  const workflowId = await createWorkflow(instance, { nodes: [trigger('start'), trigger('other')], edges: [] });
  const { executionId } = (await call('POST', `/api/workflows/${workflowId}/execute`, { input: { a: 1 } })).body;
  await call('POST', `/api/executions/${executionId}/stop`);
  const definition = { nodes: [trigger('start', true)], edges: [] };
  expect((await call('POST', `/api/workflows/${workflowId}/versions`, { definition })).status).toBe(201);
  const rerun = await call('POST', `/api/executions/${executionId}/rerun`);
  expect(rerun.status).toBe(202);
  const { data } = (await call('GET', `/api/executions/${rerun.body.executionId}`)).body;
  expect(data).toMatchObject({ trigger: { a: 1 }, triggerNodeId: 'start' });
});
