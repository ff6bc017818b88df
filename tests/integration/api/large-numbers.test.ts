import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chain, createWorkflow, type Instance, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

/** Sends JSON as it is written: `JSON.stringify` could not. */
const send = (path: string, body: string, headers = {}) =>
  instance.gateway.call('POST', path, { as: instance.key, body, headers });
const triggerData = async (where: object) =>
  (await instance.db.execution.findFirstOrThrow({ where, orderBy: { id: 'desc' } })).triggerData;

describe('a whole number beyond the safe range keeps its digits', () => {
  it('in the input of a run', async () => {
    const { status } = await send(`/api/workflows/${workflowId}/execute`, '{"input":{"id":7615917337495251231}}');
    expect(status).toBe(202);
    expect(await triggerData({ workflowId })).toBe('{"id":"7615917337495251231"}');
  });

  it('as does one beyond all numbers', async () => {
    const { status } = await send(`/api/workflows/${workflowId}/execute`, '{"input":{"limit":[1e999,-1.5E+400]}}');
    expect(status).toBe(202);
    expect(await triggerData({ workflowId })).toBe('{"limit":["1e999","-1.5E+400"]}');
    const refused = await send(`/api/workflows/${workflowId}/execute`, '{"input":{},"timeoutSeconds":1e999}');
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'timeoutSeconds' }] } });
  });

  it('in the inputs of a batch', async () => {
    const { status } = await send(`/api/workflows/${workflowId}/execute/batch`, '[{"input":{"id":-9007199254740993}}]');
    expect(status).toBe(200);
    expect(await triggerData({ workflowId })).toBe('{"id":"-9007199254740993"}');
  });

  it('in the data of an event', async () => {
    const { workspaceId } = instance;
    const body = `{"workspaceId":"${workspaceId}","name":"large.number","data":{"id":7615917337495251231}}`;
    expect((await send('/api/events', body)).status).toBe(202);
    const { data } = await instance.db.event.findFirstOrThrow({ where: { workspaceId, name: 'large.number' } });
    expect(data).toBe('{"id":"7615917337495251231"}');
  });

  it('in a definition', async () => {
    const fields = '{"id":7615917337495251231}';
    const nodes = `[{"id":"a","type":"trigger.manual"},{"id":"b","type":"set","parameters":{"fields":${fields}}}]`;
    const edges = '[{"source":"a","target":"b"}]';
    const { status } = await send(
      `/api/workflows/${workflowId}/versions`,
      `{"definition":{"nodes":${nodes},"edges":${edges}}}`,
    );
    expect(status).toBe(201);
    const { definition } = await instance.db.workflowVersion.findFirstOrThrow({
      where: { workflowId },
      orderBy: { number: 'desc' },
    });
    expect(definition).toMatchObject({ nodes: [{}, { parameters: { fields: { id: '7615917337495251231' } } }] });
  });

  it('where it tells two requests under one Idempotency-Key apart', async () => {
    const key = { 'idempotency-key': 'large' };
    const start = (id: string) => send(`/api/workflows/${workflowId}/execute`, `{"input":{"id":${id}}}`, key);
    expect((await start('7615917337495251231')).status).toBe(202);
    expect((await start('7615917337495251231')).status).toBe(202);
    expect((await start('7615917337495251232')).body.code).toBe('CONFLICT');
  });
});
