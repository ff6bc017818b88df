import { createDatabase } from '@deckhand/db';
import type { LocalPostgres } from '@deckhand/local';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import {
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestPostgres,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.js';

let postgres: LocalPostgres;
let instance: Instance;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const db = createDatabase({ url: postgres.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  instance = await startInstance({ databaseUrl: postgres.url, db, redis: await startTestRedis() });
}, 60_000);
afterAll(stopAll);

const call = (method: string, path: string, body?: unknown) =>
  instance.gateway.call(method, path, { as: instance.key, ...(body === undefined ? {} : { body }) });

describe('while PostgreSQL is away', () => {
  it('503: whatever is asked, and all is well again once it is back', async () => {
    const id = await createWorkflow(instance, chain());
    const started = await call('POST', `/api/workflows/${id}/execute`);
    await postgres.kill();
    for (const [method, path] of [
      ['POST', `/api/workflows/${id}/execute`],
      ['GET', `/api/workflows/${id}`],
      ['GET', `/api/executions/${started.body.executionId}`],
    ] as const) {
      const { status, body } = await call(method, path);
      expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
    expect((await instance.gateway.call('GET', '/healthz')).status).toBe(200);
    expect((await instance.gateway.call('GET', '/readyz')).status).toBe(503);

    await postgres.restart();
    await until(async () => (await call('POST', `/api/workflows/${id}/execute`)).status === 202, 10_000, 'recovery');
    expect((await instance.gateway.call('GET', '/readyz')).status).toBe(200);
    const { body } = await call('GET', `/api/executions/${started.body.executionId}`);
    expect(body).toMatchObject({ status: 'pending' });
  }, 60_000);
});

describe('a caller who goes away while sending', () => {
  it('is no error of the service', async () => {
    const { port } = new URL(instance.gateway.url);
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/workspaces',
      headers: { 'x-api-key': instance.key, 'content-type': 'application/json', 'content-length': 100 },
    });
    sent.on('error', () => undefined);
    const before = instance.gateway.log.length;
    await new Promise((resolve) => sent.write('{"name":', resolve));
    sent.destroy();
    await until(() => instance.gateway.log.slice(before).some((line) => line.includes('the caller went away')));
    expect(instance.gateway.log.slice(before).filter((line) => line.includes('request failed'))).toEqual([]);
  });
});
