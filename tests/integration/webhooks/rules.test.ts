import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createHook,
  type Hook,
  type Instance,
  sendHook,
  startInstance,
  stopAll,
  triggerOf,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const send = (path: string, init?: RequestInit) => sendHook(instance.gateway, path, init);
const runsOf = ({ workflowId }: Hook) => instance.db.execution.count({ where: { workflowId } });

describe('a request', () => {
  it('starts a run with the payload, without any key, and is answered before it runs', async () => {
    const hook = await createHook(instance, {});
    const answer = await send(`${hook.path}?a=1&b=2&b=3`, {
      body: '{"order":7}',
      headers: { 'content-type': 'application/json', 'X-Shop': 'one' },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: expect.any(String), executionId: expect.stringMatching(/^[\da-f-]{36}$/) },
    ]);
    expect(await triggerOf(instance, answer.body.executionId)).toEqual({
      body: { order: 7 },
      headers: expect.objectContaining({ 'x-shop': 'one', 'content-type': 'application/json' }),
      query: { a: '1', b: ['2', '3'] },
      method: 'POST',
      path: hook.path,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const run = await instance.db.execution.findUniqueOrThrow({ where: { id: answer.body.executionId } });
    expect(run).toMatchObject({ source: 'webhook', executionMode: 'normal', triggerNodeId: 'hook', status: 'pending' });
  });

  it('is answered with the response code of its trigger', async () => {
    for (const responseCode of [201, 202, 204, 418, 503]) {
      const answer = await send((await createHook(instance, { responseCode })).path);
      expect([answer.status, answer.text === '']).toEqual([responseCode, responseCode === 204]);
    }
  });

  it('carries its request id through, and an insane one gets another', async () => {
    const { path } = await createHook(instance, {});
    const [sane, insane] = [
      await send(path, { headers: { 'x-request-id': 'shop-17' } }),
      await send(path, { headers: { 'x-request-id': 'a b' } }),
    ];
    expect(sane.headers.get('x-request-id')).toBe('shop-17');
    expect(insane.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it('fires once for each of many at once', async () => {
    const hook = await createHook(instance, {});
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(hook.path)));
    expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(50);
    expect(await runsOf(hook)).toBe(50);
  });

  it('leaves no log with its URL', async () => {
    const { path } = await createHook(instance, {});
    await send(`${path}?token=tell-nobody`);
    const log = instance.gateway.log.join('\n');
    expect(log).toContain('/webhook/');
    expect(log).not.toContain(path);
    expect(log).not.toContain('tell-nobody');
  });
});

describe('methods', () => {
  it('each trigger has one; others are told which', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const hook = await createHook(instance, { method });
      for (const sent of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status, headers } = await send(hook.path, { method: sent });
        expect([method, sent, status]).toEqual([method, sent, method === sent ? 200 : 405]);
        expect(headers.get('allow')).toBe(method === sent ? null : `${method}, OPTIONS`);
      }
      expect(await runsOf(hook)).toBe(1);
    }
  });

  it('HEAD and paths below the suffix are nothing, even of a GET trigger', async () => {
    const hook = await createHook(instance, { method: 'GET' });
    const wrong = [
      await send(hook.path, { method: 'HEAD' }),
      await send(`${hook.path}/`, { method: 'GET' }),
      await send(`${hook.path}/below`, { method: 'GET' }),
      await send('/webhook/', { method: 'GET' }),
      await send('/webhook', { method: 'GET' }),
      await send('/webhook/no-such-suffix-at-all', { method: 'GET' }),
      await send(hook.path.toUpperCase(), { method: 'GET' }),
    ];
    expect(wrong.map(({ status }) => status)).toEqual(wrong.map(() => 404));
    expect(await runsOf(hook)).toBe(0);
  });
});

describe('hand-made requests', () => {
  const raw = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      httpRequest(`${instance.gateway.url}/`, { path, method: 'POST' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });

  it('path traversal leads nowhere', async () => {
    const paths = [
      '/webhook/..',
      '/webhook/%2e%2e',
      '/webhook/..%2f..%2fapi%2fworkflows',
      '/webhook/%00',
      '/webhook/%ff',
      '/webhook/%',
    ];
    for (const path of paths) expect([path, await raw(path)]).toEqual([path, 404]);
  });
});
