import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  addPerson,
  callWithKey,
  createHook,
  createWorkflow,
  hookDefinition,
  type Gateway,
  type Instance,
  sendHook,
  startGateway,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let replica: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  replica = await startGateway(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const schema = (type: string) => ({
  properties: { name: { type }, lines: { type: 'array', items: { type: 'number' } } },
  required: ['name'],
  additionalProperties: false,
});
const definition = (inputSchema: object, more: object = {}) => ({
  nodes: [{ id: 'start', type: 'trigger.manual', parameters: { inputSchema, ...more } }],
  edges: [],
});
const execute = (id: string, input: object, via = instance.gateway, headers = {}) =>
  via.call('POST', `/api/workflows/${id}/execute`, { as: instance.key, body: { input }, headers });
const count = (workflowId: string) => instance.db.execution.count({ where: { workflowId } });
const jsonBody = (body: unknown) => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
const detailsOf = (body: object) => ('details' in body ? body.details : body);

describe('an input that does not fit the schema of its trigger', () => {
  it('starts no run by execute, and the response names the fields', async () => {
    const id = await createWorkflow(instance, definition(schema('string')));
    // The second time, the gateway remembers the schema.
    for (const attempt of [1, 2]) {
      const { status, body } = await execute(id, { name: attempt, lines: [1, 'x'], other: true });
      expect([status, body]).toMatchObject([400, { code: 'VALIDATION_FAILED' }]);
      expect(detailsOf(body)).toEqual([
        { path: 'input.other', message: 'is not a known field' },
        { path: 'input.name', message: 'must be string' },
        { path: 'input.lines[1]', message: 'must be number' },
      ]);
    }
    expect(await count(id)).toBe(0);
    expect((await execute(id, { name: 'Ada' })).status).toBe(202);
    const without = await call('POST', `/api/workflows/${id}/execute`);
    expect(detailsOf(without.body)).toEqual([{ path: 'input.name', message: 'is required' }]);
    expect(await count(id)).toBe(1);
  });

  it('refuses its item of a batch', async () => {
    const id = await createWorkflow(instance, definition(schema('string')));
    const items = [{ input: { name: 'Ada' } }, { input: { name: 1 } }, { input: { name: 'Bo' } }];
    const { body } = await call('POST', `/api/workflows/${id}/execute/batch`, items);
    expect([body.accepted, body.refused]).toEqual([2, 1]);
    expect(body.items[1]).toMatchObject({ status: 400, details: [{ path: 'input.name', message: 'must be string' }] });
    expect(await count(id)).toBe(2);
  });

  it('is not counted towards the limit of runs per minute', async () => {
    const id = await createWorkflow(instance, definition(schema('string')));
    const { workspaceId } = instance;
    await instance.db.workspace.update({ where: { id: workspaceId }, data: { executionsPerMinute: 1 } });
    expect((await execute(id, {})).status).toBe(400);
    expect((await execute(id, { name: 'Ada' })).status).toBe(202);
    expect((await execute(id, { name: 'Ada' })).status).toBe(429);
    await instance.db.workspace.update({ where: { id: workspaceId }, data: { executionsPerMinute: null } });
  });

  it('is checked against the version that runs, in every replica from the moment when it is saved', async () => {
    const id = await createWorkflow(instance, definition(schema('string')));
    for (const via of [instance.gateway, replica]) expect((await execute(id, { name: 'Ada' }, via)).status).toBe(202);
    await call('POST', `/api/workflows/${id}/versions`, { definition: definition(schema('number')) });
    for (const via of [instance.gateway, replica]) {
      expect((await execute(id, { name: 'Ada' }, via)).status).toBe(400);
      expect((await execute(id, { name: 5 }, via)).status).toBe(202);
    }
  });

  it('returns the run of an earlier start with the same idempotency key all the same', async () => {
    const id = await createWorkflow(instance, definition(schema('string')));
    const headers = { 'idempotency-key': 'once' };
    const first = await execute(id, { name: 'Ada' }, instance.gateway, headers);
    await call('POST', `/api/workflows/${id}/versions`, { definition: definition(schema('number')) });
    const again = await execute(id, { name: 'Ada' }, instance.gateway, headers);
    expect([again.status, again.body.executionId]).toEqual([202, first.body.executionId]);
  });

  it('is reported only to callers who may see the workflow', async () => {
    const id = await createWorkflow(instance, definition(schema('string')));
    expect((await execute(id, {})).status).toBe(400);
    const { session } = await addPerson(instance);
    const { status } = await instance.gateway.call('POST', `/api/workflows/${id}/execute`, { as: session, body: {} });
    expect(status).toBe(404);
  });

  it('starts runs if the trigger does not enforce it, or the version was saved before triggers did', async () => {
    const off = await createWorkflow(instance, definition(schema('string'), { enforceInputSchema: false }));
    expect((await execute(off, {})).status).toBe(202);
    const old = await createWorkflow(instance, definition(schema('string')));
    await instance.db.$executeRaw`UPDATE workflow_versions SET input_schemas = NULL WHERE workflow_id = ${old}::uuid`;
    expect((await execute(old, {})).status).toBe(202);
  });

  it('fails a node that starts the workflow, without a retry, and no run starts', async () => {
    const child = await createWorkflow(instance, definition(schema('string')));
    const parameters = { workflowId: child, input: { name: '{{ $trigger.name }}' } };
    const parent = await createWorkflow(instance, {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'call', type: 'workflow', parameters, retry: { maxAttempts: 3 } },
      ],
      edges: [{ source: 'start', target: 'call' }],
    });
    const worker = await startTestWorker(instance);
    const ended = async (input: object) => {
      const { body } = await execute(parent, input);
      return until(async () => {
        const read = await call('GET', `/api/executions/${body.executionId}`);
        return ['success', 'failed'].includes(read.body.status) ? read.body : undefined;
      }, 'the end of the run');
    };
    expect((await ended({ name: 5 })).error).toMatchObject({
      ...{ nodeId: 'call', code: 'INPUT_INVALID' },
      message: expect.stringContaining('input.name must be string'),
    });
    expect(await count(child)).toBe(0);
    expect((await ended({ name: 'Ada' })).status).toBe('success');
    await worker.stop();
    // A rerun repeats what was accepted, whatever the schema of the latest version is.
    const [run] = await instance.db.execution.findMany({ where: { workflowId: child } });
    await call('POST', `/api/workflows/${child}/versions`, { definition: definition(schema('number')) });
    expect((await call('POST', `/api/executions/${run?.id ?? ''}/rerun`)).status).toBe(202);
  });
});

describe('a body that does not fit the schema of a webhook', () => {
  it('gets a 400 with the field after the caller was checked, and starts no run', async () => {
    const hook = await createHook(instance, { bodySchema: schema('string'), secret: 'shh' });
    const send = (body: unknown, secret = 'shh') =>
      sendHook(instance.gateway, hook.path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'x-webhook-secret': secret },
      });
    expect((await send({ name: 1 }, 'wrong')).status).toBe(401);
    const refused = await send({ name: 1 });
    expect([refused.status, refused.body]).toMatchObject([400, { code: 'VALIDATION_FAILED' }]);
    expect(refused.body.details).toEqual([{ path: 'body.name', message: 'must be string' }]);
    expect((await send({})).body.details).toEqual([{ path: 'body.name', message: 'is required' }]);
    expect(await count(hook.workflowId)).toBe(0);
    expect((await send({ name: 'Ada' })).status).toBe(200);
    // Who starts it by hand gives the data of a request.
    const byHand = await execute(hook.workflowId, { body: {} });
    expect(detailsOf(byHand.body)).toEqual([{ path: 'input.body.name', message: 'is required' }]);
  });

  it('is decided once, unless the webhook that an earlier request has found is another by now', async () => {
    const hook = await createHook(instance, { bodySchema: schema('string') });
    const { webhooks } = instance.gateway.services.webhooks;
    const send = async (body: unknown) => (await sendHook(instance.gateway, hook.path, jsonBody(body))).status;
    expect(await send({ name: 'Ada' })).toBe(200);
    const find = jest.spyOn(webhooks, 'find');
    expect([await send({ name: 1 }), find.mock.calls.length]).toEqual([400, 0]);
    const { body } = await call('POST', `/api/workflows/${hook.workflowId}/versions`, {
      definition: hookDefinition({ bodySchema: schema('number') }),
    });
    await call('PATCH', `/api/workflows/${hook.workflowId}`, { activeVersionId: body.workflowVersionId });
    expect([await send({ name: 1 }), find.mock.calls.length]).toEqual([200, 1]);
    expect([await send({ name: 'Ada' }), find.mock.calls.length]).toEqual([400, 1]);
    find.mockRestore();
  });
});

it('a result that does not fit the schema of its End node fails runs in the modes test and debug, and no others', async () => {
  const end = { id: 'end', type: 'terminal', parameters: { body: { name: 1 }, bodySchema: schema('string') } };
  const nodes = [{ id: 'start', type: 'trigger.manual' }, end];
  const id = await createWorkflow(instance, { nodes, edges: [{ source: 'start', target: 'end' }] });
  const worker = await startTestWorker(instance);
  const outcomes = [];
  for (const executionMode of ['normal', 'sandbox', 'test', 'debug']) {
    const { body } = await call('POST', `/api/workflows/${id}/execute`, { executionMode });
    const { status, error } = await until(async () => {
      const read = await call('GET', `/api/executions/${body.executionId}`);
      return ['success', 'failed'].includes(read.body.status) ? read.body : undefined;
    }, 'the end of the run');
    outcomes.push([executionMode, status, error?.code, error?.message]);
  }
  await worker.stop();
  const misfit = ['failed', 'RESULT_INVALID', expect.stringContaining('body.name must be string')];
  expect(outcomes).toEqual([
    ['normal', 'success', undefined, undefined],
    ['sandbox', 'success', undefined, undefined],
    ['test', ...misfit],
    ['debug', ...misfit],
  ]);
});

it('a schema whose check never ends is ended, and blocks nobody meanwhile', async () => {
  const parts = Array.from({ length: 30 }, (_, n) => [
    `p${n}`,
    n === 29 ? { type: 'object' } : { allOf: [{ $ref: `#/$defs/p${n + 1}` }, { $ref: `#/$defs/p${n + 1}` }] },
  ]);
  const id = await createWorkflow(instance, definition({ $ref: '#/$defs/p0', $defs: Object.fromEntries(parts) }));
  const slow = execute(id, {});
  const other = await createWorkflow(instance, definition(schema('string')));
  expect((await execute(other, { name: 'Ada' })).status).toBe(202);
  const { status, body } = await slow;
  expect([status, detailsOf(body)]).toEqual([
    400,
    [{ path: 'input', message: 'takes too long to check against its schema' }],
  ]);
});
