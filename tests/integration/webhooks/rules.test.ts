import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createHook,
  type Gateway,
  type Hook,
  hookDefinition,
  type Instance,
  sendHook,
  startGateway,
  startInstance,
  stopAll,
  triggerOf,
} from '../../harness/index.js';

let instance: Instance;
let other: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  other = await startGateway(instance);
});
afterAll(stopAll);

const api = (method: string, path: string, body?: unknown) =>
  instance.gateway.call(method, path, { as: instance.session, ...(body === undefined ? {} : { body }) });
const send = (path: string, init?: RequestInit) => sendHook(instance.gateway, path, init);
const runsOf = ({ workflowId }: Hook) => instance.db.execution.count({ where: { workflowId } });
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } | null }) => [status, body?.code];

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

  it('leaves no run with what opens doors', async () => {
    const { path } = await createHook(instance, { secret: 'sesame' });
    const secrets = {
      'x-webhook-secret': 'sesame',
      authorization: 'Bearer abc',
      'proxy-authorization': 'Basic abc',
      cookie: 'session=abc',
      'x-api-key': 'dk_abc',
    };
    const { body } = await send(path, { headers: { ...secrets, 'x-kept': 'yes' } });
    const { headers } = await triggerOf(instance, body.executionId);
    expect(headers).toMatchObject({ 'x-kept': 'yes' });
    for (const name of Object.keys(secrets)) expect(headers).not.toHaveProperty(name);
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

describe('the secret', () => {
  it('must come with every request, else 401', async () => {
    const hook = await createHook(instance, { secret: 'open sesame' });
    const wrong = ['open sesam', 'open sesame!', 'OPEN SESAME', '', 'open sesame, open sesame'];
    for (const given of wrong) {
      expect(statusAndCode(await send(hook.path, { headers: { 'x-webhook-secret': given } }))).toEqual([
        401,
        'UNAUTHORIZED',
      ]);
    }
    expect(statusAndCode(await send(hook.path))).toEqual([401, 'UNAUTHORIZED']);
    expect(await runsOf(hook)).toBe(0);
    expect((await send(hook.path, { headers: { 'X-Webhook-Secret': 'open sesame' } })).status).toBe(200);
  });

  it('is kept by its placeholder when another version becomes the active one', async () => {
    const hook = await createHook(instance, { secret: 'first' });
    await api('POST', `/api/workflows/${hook.workflowId}/versions`, {
      definition: hookDefinition({ secret: '********' }),
    });
    await api('PATCH', `/api/workflows/${hook.workflowId}`, { status: 'active' });
    expect((await send(hook.path)).status).toBe(401);
    expect((await send(hook.path, { headers: { 'x-webhook-secret': 'first' } })).status).toBe(200);
  });
});

describe('authentication', () => {
  interface Case {
    readonly type: string;
    readonly secret: object;
    readonly right: Record<string, string>;
    readonly wrong: Record<string, string>[];
    readonly asks: string | null;
  }
  const cases: Case[] = [
    {
      type: 'basic',
      secret: { username: 'shop', password: 'pä:ss' },
      right: { authorization: `Basic ${Buffer.from('shop:pä:ss').toString('base64')}` },
      wrong: [
        { authorization: `Basic ${Buffer.from('shop:pä:s').toString('base64')}` },
        { authorization: 'Basic !!!' },
        { authorization: 'Bearer shop' },
      ],
      asks: 'Basic realm="webhook"',
    },
    {
      type: 'bearer',
      secret: { token: 'abc.def' },
      right: { authorization: 'Bearer abc.def' },
      wrong: [{ authorization: 'Bearer abc.de' }, { authorization: 'abc.def' }, { 'x-api-key': 'abc.def' }],
      asks: 'Bearer realm="webhook"',
    },
    {
      type: 'apiKey',
      secret: { value: 'key-1' },
      right: { 'x-api-key': 'key-1' },
      wrong: [{ 'x-api-key': 'key-2' }, { authorization: 'Bearer key-1' }],
      asks: null,
    },
    {
      type: 'apiKey',
      secret: { header: 'X-Shop-Key', value: 'key-1' },
      right: { 'x-shop-key': 'key-1' },
      wrong: [{ 'x-api-key': 'key-1' }],
      asks: null,
    },
  ];

  it.each(cases)('$type is checked against the credential', async ({ type, secret, right, wrong, asks }) => {
    const { workspaceId } = instance;
    const { body: credential } = await api('POST', '/api/credentials', { workspaceId, name: type, type, secret });
    const hook = await createHook(instance, { authentication: type }, { node: { credentialId: credential.id } });
    for (const headers of [{}, ...wrong]) {
      const refused = await send(hook.path, { headers });
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, asks]);
    }
    const { status, body } = await send(hook.path, { headers: right });
    expect(status).toBe(200);
    const trigger = JSON.stringify(await triggerOf(instance, body.executionId));
    for (const value of Object.values(right)) expect(trigger).not.toContain(value);
  });

  it('is asked for beside the secret', async () => {
    const { workspaceId } = instance;
    const secret = { token: 'abc' };
    const { body: credential } = await api('POST', '/api/credentials', {
      workspaceId,
      name: 'b',
      type: 'bearer',
      secret,
    });
    const options = { node: { credentialId: credential.id } };
    const hook = await createHook(instance, { secret: 'sesame', authentication: 'bearer' }, options);
    const [bearer, own] = [{ authorization: 'Bearer abc' }, { 'x-webhook-secret': 'sesame' }];
    const answers = [await send(hook.path, { headers: bearer }), await send(hook.path, { headers: own })];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect((await send(hook.path, { headers: { ...bearer, ...own } })).status).toBe(200);
  });

  it('goes by the credential as it is now, and lets nobody in once it is deleted', async () => {
    const { workspaceId } = instance;
    const secret = { token: 'old' };
    const { body: credential } = await api('POST', '/api/credentials', {
      workspaceId,
      name: 'c',
      type: 'bearer',
      secret,
    });
    const options = { node: { credentialId: credential.id } };
    const hook = await createHook(instance, { authentication: 'bearer' }, options);
    const asks = async (token: string) =>
      Promise.all(
        [instance.gateway, other].map(async (gateway) => {
          const { status } = await sendHook(gateway, hook.path, { headers: { authorization: `Bearer ${token}` } });
          return status;
        }),
      );
    expect(await asks('old')).toEqual([200, 200]);
    await api('PATCH', `/api/credentials/${credential.id}`, { secret: { token: 'new' } });
    expect([await asks('old'), await asks('new')]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    await instance.db.credential.delete({ where: { id: credential.id } });
    expect(await asks('new')).toEqual([401, 401]);
  });
});

describe('CORS', () => {
  const preflight = (path: string, origin: string) =>
    send(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, x-webhook-secret',
      },
    });

  it('any page may send, unless the trigger says which', async () => {
    const hook = await createHook(instance, {});
    const answer = await send(hook.path, { headers: { origin: 'https://a.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const asked = await preflight(hook.path, 'https://a.example');
    expect([asked.status, asked.text, Object.fromEntries(asked.headers)]).toEqual([
      204,
      '',
      expect.objectContaining({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers': 'content-type, x-webhook-secret',
      }),
    ]);
    expect(await runsOf(hook)).toBe(1);
  });

  it('allowed origins and methods are those of the trigger, refusals included', async () => {
    const hook = await createHook(instance, {
      allowedOrigins: ['https://a.example', 'https://b.example'],
      allowedMethods: ['POST', 'GET'],
      secret: 'sesame',
    });
    const [mine, foreign] = [
      await preflight(hook.path, 'https://b.example'),
      await preflight(hook.path, 'https://c.example'),
    ];
    expect([mine.status, mine.headers.get('access-control-allow-origin'), mine.headers.get('vary')]).toEqual([
      204,
      'https://b.example',
      'Origin',
    ]);
    expect(mine.headers.get('access-control-allow-methods')).toBe('POST, GET');
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([204, null]);
    const refused = await send(hook.path, { headers: { origin: 'https://a.example' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, 'https://a.example']);
  });
});

describe('which version answers', () => {
  it('410 while draft and while inactive, from the next request on, on every gateway', async () => {
    const hook = await createHook(instance, {}, { isActive: false });
    const ask = async () => {
      const answers = await Promise.all([instance.gateway, other].map((gateway) => sendHook(gateway, hook.path)));
      return answers.map(({ status, body }) => [status, body.code]);
    };
    const gone = [410, 'WEBHOOK_INACTIVE'];
    expect(await ask()).toEqual([gone, gone]);
    expect((await send(hook.path)).body.error).toContain('draft');
    for (let round = 0; round < 5; round += 1) {
      await api('PATCH', `/api/workflows/${hook.workflowId}`, { status: 'active' });
      expect(await ask()).toEqual([
        [200, undefined],
        [200, undefined],
      ]);
      await api('PATCH', `/api/workflows/${hook.workflowId}`, { status: 'inactive' });
      expect(await ask()).toEqual([gone, gone]);
    }
    expect((await send(hook.path)).body.error).toContain('inactive');
    expect(await runsOf(hook)).toBe(10);
  });

  it('the active one, not the latest, and another from the answer on that names it', async () => {
    const hook = await createHook(instance, { responseCode: 201 });
    const path = `/api/workflows/${hook.workflowId}`;
    const { body: second } = await api('POST', `${path}/versions`, {
      definition: hookDefinition({ responseCode: 202 }),
    });
    const { body: before } = await api('GET', path);
    expect((await send(hook.path)).status).toBe(201);
    for (let round = 0; round < 5; round += 1) {
      for (const [version, code] of [
        [second.workflowVersionId, 202],
        [before.activeVersionId, 201],
      ]) {
        await api('PATCH', path, { activeVersionId: version });
        const { status, body } = await sendHook(other, hook.path);
        const run = await instance.db.execution.findUniqueOrThrow({ where: { id: body.executionId } });
        expect([status, run.workflowVersionId]).toEqual([code, version]);
      }
    }
  });

  it('none once the active version has no such trigger, or the workflow is deleted', async () => {
    const hook = await createHook(instance, {});
    const path = `/api/workflows/${hook.workflowId}`;
    await api('POST', `${path}/versions`, {
      definition: { nodes: [{ id: 'hook', type: 'trigger.manual' }], edges: [] },
    });
    expect((await send(hook.path)).status).toBe(200);
    await api('PATCH', path, { status: 'active' });
    expect((await send(hook.path)).status).toBe(404);
    const second = await createHook(instance, {});
    await api('DELETE', `/api/workflows/${second.workflowId}`);
    expect([(await send(second.path)).status, (await sendHook(other, second.path)).status]).toEqual([404, 404]);
  });

  it('each trigger of a workflow has a URL of its own', async () => {
    const definition = {
      nodes: [
        { id: 'one', type: 'trigger.webhook' },
        { id: 'two', type: 'trigger.webhook', parameters: { method: 'GET' } },
      ],
      edges: [],
    };
    const { body } = await api('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Two',
      definition,
    });
    await api('PATCH', `/api/workflows/${body.id}`, { status: 'active' });
    for (const { nodeId, url, method } of body.webhooks) {
      const { body: started } = await send(new URL(url).pathname, { method });
      const run = await instance.db.execution.findUniqueOrThrow({ where: { id: started.executionId } });
      expect(run.triggerNodeId).toBe(nodeId);
    }
  });
});

describe('the URL', () => {
  const change = (hook: Hook, body?: object) =>
    api('POST', `/api/workflows/${hook.workflowId}/webhooks/hook/url`, body);

  it('has 128 bits or more that need no escaping', async () => {
    const paths = await Promise.all(Array.from({ length: 10 }, async () => (await createHook(instance, {})).path));
    expect(new Set(paths).size).toBe(10);
    for (const path of paths) expect(path).toMatch(/^\/webhook\/[A-Za-z0-9_-]{22,}$/);
  });

  it('changes when it is asked to, and the old one is a 404 from then on, everywhere', async () => {
    const hook = await createHook(instance, {});
    const { status, body } = await change(hook);
    expect(status).toBe(200);
    const path = new URL(body.url).pathname;
    const answers = [
      await send(hook.path),
      await sendHook(other, hook.path),
      await send(path),
      await sendHook(other, path),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 200, 200]);
    const { body: workflow } = await api('GET', `/api/workflows/${hook.workflowId}`);
    expect(workflow.webhooks).toEqual([{ nodeId: 'hook', url: body.url, method: 'POST' }]);
  });

  it('may be chosen, but not one that is taken', async () => {
    const [hook, second] = [await createHook(instance, {}), await createHook(instance, {})];
    expect((await change(hook, { path: 'orders-of-the-shop' })).body.url).toMatch(/\/webhook\/orders-of-the-shop$/);
    expect(statusAndCode(await change(second, { path: 'orders-of-the-shop' }))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await change(second, { path: 'short' }))).toEqual([400, 'VALIDATION_FAILED']);
    expect((await send(second.path)).status).toBe(200);
    const path = `/api/workflows/${hook.workflowId}/webhooks`;
    expect((await api('POST', `${path}/other/url`)).status).toBe(404);
  });

  it('is the path that the definition asks for, until it is changed', async () => {
    const hook = await createHook(instance, { path: 'asked-for-first' });
    expect(hook.path).toBe('/webhook/asked-for-first');
    const save = (path: string) =>
      api('POST', `/api/workflows/${hook.workflowId}/versions`, { definition: hookDefinition({ path }) });
    await save('asked-for-then');
    expect([(await send('/webhook/asked-for-first')).status, (await send('/webhook/asked-for-then')).status]).toEqual([
      404, 200,
    ]);
    const { body } = await change(hook);
    // Saved again with the path that still stands in it.
    expect((await save('asked-for-then')).status).toBe(201);
    expect((await send('/webhook/asked-for-then')).status).toBe(404);
    expect((await send(new URL(body.url).pathname)).status).toBe(200);
    const taken = hookDefinition({ path: new URL(body.url).pathname.split('/')[2] ?? '' });
    const refused = await api('POST', '/api/workflows', {
      workspaceId: instance.workspaceId,
      name: 'Thief',
      definition: taken,
    });
    expect(statusAndCode(refused)).toEqual([409, 'CONFLICT']);
  });
});

describe('limits', () => {
  it("429 with Retry-After beyond the workflow's rate limit, over all gateways together", async () => {
    const settings = { rateLimit: { max: 5, windowSeconds: 60 } };
    const hook = await createHook(instance, {}, { settings });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => sendHook(index % 2 === 0 ? instance.gateway : other, hook.path)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBe(7);
    for (const { headers, body } of refused) {
      expect(body.code).toBe('RATE_LIMITED');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expect(await runsOf(hook)).toBe(5);
  });

  it("429 and 413 by the workspace's own limits", async () => {
    const hook = await createHook(instance, {});
    const limits = `/api/admin/workspaces/${instance.workspaceId}/limits`;
    await api('PUT', limits, { executionsPerMinute: 1, storageQuotaBytes: null });
    const answers = [await send(hook.path), await send(hook.path)];
    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      [429, 'workspace_rate_limited'],
    ]);
    expect(Number(answers[1]?.headers.get('retry-after'))).toBeGreaterThan(0);
    await api('PUT', limits, { executionsPerMinute: null, storageQuotaBytes: 1 });
    await instance.db.workspace.update({ where: { id: instance.workspaceId }, data: { storedBytes: 2 } });
    expect(statusAndCode(await send(hook.path))).toEqual([413, 'workspace_over_quota']);
    await api('PUT', limits, { executionsPerMinute: null, storageQuotaBytes: null });
    expect(await runsOf(hook)).toBe(1);
  });

  it('413 for a body over the limit of the instance', async () => {
    const small = await startGateway(instance, { env: { WEBHOOK_MAX_BYTES: '1000' } });
    const hook = await createHook(instance, { payloadType: 'text' });
    const answers = [
      await sendHook(small, hook.path, { body: 'x'.repeat(1_000) }),
      await sendHook(small, hook.path, { body: 'x'.repeat(1_001) }),
      await send(hook.path, { body: 'x'.repeat(1_001) }),
    ];
    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      [413, 'PAYLOAD_TOO_LARGE'],
      [200, undefined],
    ]);
    expect((await send(hook.path, { body: 'x'.repeat(10_485_761) })).status).toBe(413);
  });
});

describe('Idempotency-Key', () => {
  const ask = (path: string, body: string, key: string, gateway = instance.gateway) =>
    sendHook(gateway, path, { body, headers: { 'content-type': 'application/json', 'idempotency-key': key } });

  it('starts one run for many at once, at any gateway; the others are told of it', async () => {
    const hook = await createHook(instance, {});
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        ask(
          hook.path,
          index % 2 === 0 ? '{"a":1,"b":2}' : '{"b":2,"a":1}',
          'k',
          index % 3 === 0 ? other : instance.gateway,
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.executionId)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length).toBe(9);
    expect(await runsOf(hook)).toBe(1);
  });

  it('409 with another body, 400 for what is no key', async () => {
    const hook = await createHook(instance, {});
    await ask(hook.path, '{"a":1}', 'k');
    expect(statusAndCode(await ask(hook.path, '{"a":2}', 'k'))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await ask(`${hook.path}?a=1`, '{"a":1}', 'k'))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await ask(hook.path, '{"a":1}', 'k k'))).toEqual([400, 'VALIDATION_FAILED']);
    expect(await runsOf(hook)).toBe(1);
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
