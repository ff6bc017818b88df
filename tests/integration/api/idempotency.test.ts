import { failUnqueuedExecutions } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPerson,
  chain,
  createWorkflow,
  type Gateway,
  type Instance,
  startGateway,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let replicas: readonly [Gateway, Gateway];
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  replicas = [instance.gateway, await startGateway(instance)];
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } }));
});
afterAll(stopAll);

const execute = (key: string, body: unknown = {}, { id = workflowId, replica = 0, as = instance.key } = {}) =>
  (replicas[replica] ?? replicas[0]).call('POST', `/api/workflows/${id}/execute`, {
    as,
    body,
    headers: { 'idempotency-key': key },
  });
const runs = (id = workflowId) => instance.db.execution.count({ where: { workflowId: id } });

describe('an Idempotency-Key', () => {
  it('answers a repeated request with the first run, and starts nothing', async () => {
    const before = await runs();
    const first = await execute('order-1', { input: { a: 1, b: [{ c: 2, d: null }] } });
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([202, null]);
    const again = await execute(
      'order-1',
      { input: { b: [{ d: null, c: 2 }], a: 1 }, executionMode: 'normal' },
      { replica: 1 },
    );
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(again.body).toEqual(first.body);
    expect(await runs()).toBe(before + 1);
  });

  it('409 with another body, mode or trigger', async () => {
    await execute('order-2', { input: { a: 1 } });
    const before = await runs();
    for (const body of [
      { input: { a: 2 } },
      { input: { a: 1 }, executionMode: 'test' },
      { input: { a: 1 }, triggerNodeId: 'start' },
    ]) {
      expect(await execute('order-2', body)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    }
    expect(await runs()).toBe(before);
  });

  it('starts one run for two hundred requests at once over two replicas', async () => {
    const before = await runs();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => execute('order-3', { input: { n: 1 } }, { replica: index % 2 })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await runs()).toBe(before + 1);
  });

  it('belongs to its workflow', async () => {
    const other = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } }));
    const [here, there] = [await execute('order-4'), await execute('order-4', {}, { id: other })];
    expect(here.body.executionId).not.toBe(there.body.executionId);
  });

  it('is free again after a day, and when its run could not be queued', async () => {
    const first = await execute('order-5');
    await instance.db.idempotencyKey.updateMany({
      where: { key: 'order-5' },
      data: { createdAt: new Date(Date.now() - 86_400_001) },
    });
    const second = await execute('order-5', { input: { other: true } });
    expect(second.body.executionId).not.toBe(first.body.executionId);
    expect(await failUnqueuedExecutions(instance.db, [second.body.executionId])).toHaveProperty('size', 1);
    const third = await execute('order-5');
    expect([third.status, third.headers.get('idempotency-replayed')]).toEqual([202, null]);
    expect(third.body.executionId).not.toBe(second.body.executionId);
  });

  it('is not used up by a request that is refused, and tells nothing to whom may not run it', async () => {
    expect((await execute('order-6', { triggerNodeId: 'nowhere' })).status).toBe(400);
    const started = await execute('order-6', { input: { fine: true } });
    expect(started.status).toBe(202);
    const [viewer, stranger] = [await addPerson(instance, 'viewer'), await addPerson(instance)];
    expect((await execute('order-6', { input: { fine: true } }, { as: viewer.session })).status).toBe(403);
    expect((await execute('order-6', { input: { fine: true } }, { as: stranger.session })).status).toBe(404);
  });

  describe('of a test of a part that the latest version no longer has', () => {
    let id: string;
    let execution: string;
    const post = (path: string, key: string, body: object, as = instance.key) =>
      instance.gateway.call('POST', path, { as, body, headers: { 'idempotency-key': key } });
    const starts = [
      ['execute', { untilNodeId: 'a' }],
      ['execute', { mocks: { a: 1 } }],
      ['rerun', { untilNodeId: 'a' }],
    ] as const;
    const pathOf = (operation: 'execute' | 'rerun') =>
      operation === 'execute' ? `/api/workflows/${id}/execute` : `/api/executions/${execution}/rerun`;
    const firstIds: (string | undefined)[] = [];

    beforeAll(async () => {
      id = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: { n: 1 } } }));
      execution = (await execute('original', {}, { id })).body.executionId;
      await instance.gateway.call('POST', `/api/executions/${execution}/stop`, { as: instance.key });
      for (const [index, [operation, body]] of starts.entries()) {
        firstIds.push((await post(pathOf(operation), `test-${index}`, body)).body.executionId);
      }
      const definition = chain({ id: 'b', type: 'set', parameters: { fields: { n: 1 } } });
      expect((await post(`/api/workflows/${id}/versions`, 'version', { definition })).status).toBe(201);
    });

    it('answers a repeated request with the first run', async () => {
      for (const [index, [operation, body]] of starts.entries()) {
        const again = await post(pathOf(operation), `test-${index}`, body);
        expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
        expect(again.body.executionId).toBe(firstIds[index]);
        expect((await post(pathOf(operation), `other-${index}`, body)).status).toBe(400);
      }
      expect(await runs(id)).toBe(1 + starts.length);
    });

    it('400 with another body, and 403 for a person who may not start it', async () => {
      expect((await post(pathOf('execute'), 'test-0', { untilNodeId: 'a', input: { n: 1 } })).status).toBe(400);
      const viewer = await addPerson(instance, 'viewer');
      expect((await post(pathOf('execute'), 'test-0', { untilNodeId: 'a' }, viewer.session)).status).toBe(403);
    });
  });

  it.each([' ', 'a b', 'é', 'x'.repeat(256)])('400 for %j', async (key) => {
    const before = await runs();
    const answer = await execute(Buffer.from(key, 'utf8').toString('latin1'));
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, 'Idempotency-Key']);
    expect(await runs()).toBe(before);
  });

  it('is forgotten by the workers after its time', async () => {
    await instance.db.idempotencyKey.updateMany({ data: { createdAt: new Date(0) } });
    const worker = await startTestWorker(instance);
    await until(async () => (await instance.db.idempotencyKey.count()) === 0);
    await worker.stop();
  });
});
