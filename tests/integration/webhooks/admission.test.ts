import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Call,
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
} from '../../harness/index.ts';

let instance: Instance;
let other: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  other = await startGateway(instance);
});
afterAll(stopAll);

const api: Call<[body?: unknown]> = (method, path, body) =>
  instance.gateway.call(method, path, { as: instance.session, ...(body === undefined ? {} : { body }) });
const send = (path: string, init?: RequestInit) => sendHook(instance.gateway, path, init);
const runsOf = ({ workflowId }: Hook) => instance.db.execution.count({ where: { workflowId } });
const statusAndCode = ({ status, body }: { status: number; body: { code?: string } | null }) => [status, body?.code];

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

  it('lets whoever knows it in at once, while somebody at the same address fails; each failure is a 401', async () => {
    const hook = await createHook(instance, { secret: 'open sesame' });
    const right = { headers: { 'x-webhook-secret': 'open sesame' } };
    const wrong = { headers: { 'x-webhook-secret': 'a guess' } };
    const guesses = Promise.all(Array.from({ length: 30 }, () => send(hook.path, wrong)));
    for (let request = 0; request < 10; request += 1) expect((await send(hook.path, right)).status).toBe(200);
    expect(new Set((await guesses).map(({ status }) => status))).toEqual(new Set([401]));
    expect((await send(hook.path, right)).status).toBe(200);
    expect(await runsOf(hook)).toBe(11);
  });

  it.each(['größe', 'a secret of two  words', 'Ünïcödé'])('may come in UTF-8 or in Latin-1: %p', async (secret) => {
    const hook = await createHook(instance, { secret });
    const sent = async (given: string) => (await send(hook.path, { headers: { 'x-webhook-secret': given } })).status;
    expect([await sent(secret), await sent(Buffer.from(secret).toString('latin1'))]).toEqual([200, 200]);
    expect(await sent(Buffer.from(Buffer.from(secret).toString('latin1')).toString('latin1').concat('x'))).toBe(401);
  });

  it.each([' spaced', 'spaced ', '\ttab', 'a\nb', 'a\0b', '\x7f', ' ', '🙂', '5 €'])(
    'is refused when it is saved if no request can have it: %p',
    async (secret) => {
      const { workspaceId } = instance;
      for (const name of ['secret', 'nextSecret']) {
        const definition = hookDefinition({ [name]: secret });
        const { status, body } = await api('POST', '/api/workflows', { workspaceId, name: 'Hook', definition });
        expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
        if (secret.includes('\0')) continue;
        expect(body.details).toMatchObject([{ path: `definition.nodes[0].parameters.${name}`, nodeId: 'hook' }]);
        expect(JSON.stringify(body)).not.toContain(JSON.stringify(secret));
      }
    },
  );

  it('may be one of two while senders change over from one to the next', async () => {
    const hook = await createHook(instance, { secret: 'first' });
    const sent = async (secret: string) => (await send(hook.path, { headers: { 'x-webhook-secret': secret } })).status;
    const save = async (parameters: Parameters<typeof hookDefinition>[0]) => {
      const definition = hookDefinition(parameters);
      const saved = await api('POST', `/api/workflows/${hook.workflowId}/versions`, { definition });
      const activeVersionId = saved.body.workflowVersionId;
      await api('PATCH', `/api/workflows/${hook.workflowId}`, { activeVersionId });
    };
    await save({ secret: '********', nextSecret: 'second' });
    expect([await sent('first'), await sent('second'), await sent('third')]).toEqual([200, 200, 401]);
    const shown = await api('GET', `/api/workflows/${hook.workflowId}`);
    expect(shown.text).not.toContain('second');
    await save({ secret: 'second' });
    expect([await sent('first'), await sent('second')]).toEqual([401, 200]);
    await save({ nextSecret: 'third' });
    expect([await sent('second'), await sent('third')]).toEqual([401, 200]);
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

  it.each([
    ['bearer', { token: 'clé à 2 mots' }, (value: string) => ({ authorization: `Bearer ${value}` }), 'clé à 2 mots'],
    ['apiKey', { value: 'Schlüssel' }, (value: string) => ({ 'x-api-key': value }), 'Schlüssel'],
    [
      'basic',
      { username: 'jörg', password: 'größe' },
      (value: string) => ({ authorization: `Basic ${Buffer.from(value, 'latin1').toString('base64')}` }),
      'jörg:größe',
    ],
  ] as const)('may be in UTF-8 or in Latin-1: %s', async (type, secret, headersFor, value) => {
    const { workspaceId } = instance;
    const { body: credential } = await api('POST', '/api/credentials', { workspaceId, name: type, type, secret });
    const hook = await createHook(instance, { authentication: type }, { node: { credentialId: credential.id } });
    const sent = async (given: string) => (await send(hook.path, { headers: headersFor(given) })).status;
    expect([await sent(value), await sent(Buffer.from(value).toString('latin1'))]).toEqual([200, 200]);
    expect(await sent(`${value}x`)).toBe(401);
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

  it('uses the current credential, and refuses everybody once it is deleted', async () => {
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
    for (const similar of [
      'https://a.example.evil.test',
      'https://a.exampl',
      'http://a.example',
      'https://a.example:8443',
      'null',
    ]) {
      const { status, headers } = await preflight(hook.path, similar);
      expect([similar, status, headers.get('access-control-allow-origin')]).toEqual([similar, 204, null]);
    }
    const refused = await send(hook.path, { headers: { origin: 'https://a.example' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, 'https://a.example']);
  });

  it('lets a page read every refusal, and ask for leave before: 404, 405, 410, 413, 429', async () => {
    const [origin, allowed] = ['https://a.example', { allowedOrigins: ['https://a.example'] }];
    const settings = { rateLimit: { max: 1, windowSeconds: 60 } };
    const hook = await createHook(instance, allowed, { settings });
    const inactive = await createHook(instance, allowed, { isActive: false });
    const large = await createHook(instance, allowed);
    await send(hook.path);
    const refusals = {
      404: { path: '/webhook/no-such-suffix-at-all' },
      405: { path: hook.path, method: 'PUT' },
      410: { path: inactive.path },
      413: { path: large.path, body: new Uint8Array(10_485_761) },
      429: { path: hook.path },
    };
    for (const [expected, { path, ...init }] of Object.entries(refusals)) {
      const asked = await preflight(path, origin);
      expect([expected, asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([
        expected,
        204,
        'content-type, x-webhook-secret',
      ]);
      const { status, headers } = await send(path, { headers: { origin }, ...init });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([
        Number(expected),
        expect.stringMatching(/^(\*|https:\/\/a\.example)$/),
      ]);
      expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
    }
    const foreign = await send(hook.path, { headers: { origin: 'https://c.example' } });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([429, null]);
    expect((await send('/webhook/no-such-suffix-at-all', { method: 'OPTIONS' })).status).toBe(404);
  });
});
