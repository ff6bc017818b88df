import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Definition, JsonObject } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createHook,
  type Hook,
  hookDefinition,
  type HookOptions,
  type Instance,
  scrape,
  sendHook,
  startInstance,
  startTestWorker,
  stopAll,
  total,
  until,
} from '../../harness/index.ts';

const SECRET = "It's a Secret to Everybody";

let instance: Instance;
let credentialId: string;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  const { gateway, session, workspaceId } = instance;
  const credential = { workspaceId, name: 'Signing', type: 'bearer', secret: { token: SECRET } };
  ({ id: credentialId } = (await gateway.call('POST', '/api/credentials', { as: session, body: credential })).body);
});
afterAll(stopAll);

type Encoding = 'hex' | 'base64';
const sign = (data: string, encoding: Encoding = 'hex'): string =>
  createHmac('sha256', SECRET).update(data).digest(encoding);

/** A webhook that responds with the verdict of its hmac node: 500 for a wrong signature. */
async function verifier(parameters: Readonly<Record<string, string>>): Promise<string> {
  const nodes: Definition['nodes'] = [
    { id: 'verify', type: 'hmac', credentialId, parameters: { operation: 'verify', ...parameters } },
    { id: 'end', type: 'terminal', parameters: { body: '{{ $nodes.verify.output }}' } },
  ];
  return (await createHook(instance, { responseMode: 'onCompletion', rawBody: true }, { nodes })).path;
}

// Signatures as their providers document them.
const PROVIDERS: {
  name: string;
  parameters: Record<string, string>;
  type: string;
  body: string;
  headers: (body: string) => Record<string, string>;
}[] = [
  {
    name: 'GitHub',
    parameters: {
      data: '{{ $trigger.rawBody }}',
      signature: "{{ $trigger.headers['x-hub-signature-256'] }}",
      prefix: 'sha256=',
    },
    type: 'application/json',
    body: '{ "ref": "refs/heads/main",\n  "pusher": {"name": "Grüße 👋"}}',
    headers: (body) => ({ 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${sign(body)}` }),
  },
  {
    name: 'Stripe',
    parameters: {
      data: "{{ $trigger.headers['stripe-signature'].match(/t=(\\d+)/)[1] + '.' + $trigger.rawBody }}",
      signature: "{{ $trigger.headers['stripe-signature'].match(/v1=([0-9a-f]+)/)[1] }}",
    },
    type: 'application/json; charset=utf-8',
    body: '{\n  "id": "evt_1",\n  "object": "event"\n}',
    headers: (body) => ({ 'Stripe-Signature': `t=1492774577,v1=${sign(`1492774577.${body}`)},v0=6ffbb59b2300aae6` }),
  },
  {
    name: 'Slack',
    parameters: {
      data: "v0:{{ $trigger.headers['x-slack-request-timestamp'] }}:{{ $trigger.rawBody }}",
      signature: "{{ $trigger.headers['x-slack-signature'] }}",
      prefix: 'v0=',
    },
    type: 'application/x-www-form-urlencoded',
    body: 'command=%2Fweather&text=94070&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2F1234%2F5678',
    headers: (body) => ({
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': `v0=${sign(`v0:1531420618:${body}`)}`,
    }),
  },
  {
    name: 'Shopify',
    parameters: {
      data: '{{ $trigger.rawBody }}',
      signature: "{{ $trigger.headers['x-shopify-hmac-sha256'] }}",
      encoding: 'base64',
    },
    type: 'application/json',
    body: '{"id":820982911946154508,"total_price":"403.00"}',
    headers: (body) => ({ 'X-Shopify-Topic': 'orders/create', 'X-Shopify-Hmac-Sha256': sign(body, 'base64') }),
  },
];

describe('a workflow verifies the signature of', () => {
  it.each(PROVIDERS)('$name', async ({ parameters, type, body, headers }) => {
    const path = await verifier(parameters);
    const send = (sent: string) =>
      sendHook(instance.gateway, path, { body: sent, headers: { 'content-type': type, ...headers(body) } });
    expect(await send(body)).toMatchObject({ status: 200, body: { valid: true } });
    // One more byte makes it another body.
    expect(await send(`${body} `)).toMatchObject({ status: 500, body: { code: 'EXECUTION_FAILED' } });
  });
});

/** Sends a body to a webhook with the signature of GitHub. */
function github(path: string, body: string, { signed = body, secret = SECRET, headers = {} }: GithubOptions = {}) {
  const signature = createHmac('sha256', secret).update(signed).digest('hex');
  const own = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  return sendHook(instance.gateway, path, { body, headers: { ...own, ...headers } });
}

interface GithubOptions {
  readonly signed?: string;
  readonly secret?: string;
  readonly headers?: Record<string, string>;
}

const runsOf = ({ workflowId }: Hook) => instance.db.execution.count({ where: { workflowId } });

async function keep(secret: object): Promise<string> {
  const { gateway, session, workspaceId } = instance;
  const body = { workspaceId, name: 'Signing', type: 'bearer', secret } as const;
  return (await gateway.call('POST', '/api/credentials', { as: session, body })).body.id;
}

describe('a trigger verifies the signature of', () => {
  const seconds = String(Math.floor(Date.now() / 1_000));
  const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const key = Buffer.from('a key of bytes');
  const schemes: {
    readonly signature: string;
    readonly token?: string;
    readonly hmac?: JsonObject;
    readonly sign: (url: string, body: string) => Record<string, string>;
  }[] = [
    {
      signature: 'standardWebhooks',
      token: `whsec_${key.toString('base64')}`,
      sign: (_url, body) => ({
        ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': seconds },
        'webhook-signature': `v1,${createHmac('sha256', key).update(`msg_1.${seconds}.${body}`).digest('base64')}`,
      }),
    },
    {
      signature: 'stripe',
      sign: (_url, body) => ({
        'stripe-signature': `t=${seconds},v1=${hex('old', body)},v1=${hex('s', `${seconds}.${body}`)}`,
      }),
    },
    { signature: 'github', sign: (_url, body) => ({ 'x-hub-signature-256': `sha256=${hex('s', body)}` }) },
    {
      signature: 'slack',
      sign: (_url, body) => ({
        ...{ ...form, 'x-slack-request-timestamp': seconds },
        'x-slack-signature': `v0=${hex('s', `v0:${seconds}:${body}`)}`,
      }),
    },
    {
      signature: 'shopify',
      sign: (_url, body) => ({ 'x-shopify-hmac-sha256': createHmac('sha256', 's').update(body).digest('base64') }),
    },
    {
      signature: 'twilio',
      sign: (url, body) => ({
        ...form,
        'x-twilio-signature': createHmac('sha1', 's')
          .update(`${url}${body.replace('=', '')}`)
          .digest('base64'),
      }),
    },
    {
      signature: 'hmac',
      hmac: { header: 'X-Own', encoding: 'base64url', signedText: '{method} {url} {body}' },
      sign: (url, body) => ({
        'x-own': createHmac('sha256', 's').update(`POST ${url} ${body}`).digest('base64url'),
      }),
    },
  ];

  it.each(schemes)('$signature, before there is a run', async ({ signature, token = 's', hmac, sign }) => {
    const node = { credentialId: await keep({ token }) };
    const hook = await createHook(instance, { signature, ...(hmac ? { hmac } : {}) }, { node });
    const path = `${hook.path}?from=%27tests`;
    const headers = sign(instance.gateway.services.webhooks.webhookBaseUrl + path, 'Order=1');
    const send = async (body: string, sent: Record<string, string> = headers) =>
      (await sendHook(instance.gateway, path, { body, headers: sent })).status;
    expect([await send('Order=1'), await send('Order=2'), await send('Order=1', {})]).toEqual([200, 401, 401]);
    expect(await runsOf(hook)).toBe(1);
  });
});

describe('a trigger with a signature', () => {
  const signed = async (parameters: JsonObject = {}, options: HookOptions = {}) =>
    createHook(instance, { signature: 'github', ...parameters }, { ...options, node: { credentialId } });

  it('answers every forgery as it answers a wrong secret, and keeps nothing of it but a line in the log', async () => {
    const hook = await signed();
    const body = '{"order":1}';
    const forged = [
      await github(hook.path, '{"order":2}', { signed: body }),
      await github(hook.path, body, { secret: 'guessed' }),
      await github(hook.path, body, { headers: { 'x-hub-signature-256': '' } }),
      await github(hook.path, body, { headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(5_000)}` } }),
      await github(hook.path, '{"no json', { signed: body }),
      await sendHook(instance.gateway, hook.path, { body }),
    ];
    expect(new Set(forged.map(({ status, body: { code, error } }) => `${status} ${code} ${error}`)).size).toBe(1);
    expect(forged[0]).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect((await github(hook.path, body)).status).toBe(200);
    expect(await runsOf(hook)).toBe(1);
    const { gateway, session } = instance;
    const path = `/api/workflows/${hook.workflowId}/deliveries` as const;
    const { data } = await until(async () => {
      const list = (await gateway.call('GET', path, { as: session })).body;
      return list.data.length === 7 && list;
    });
    expect(
      data.filter(({ errorCode, executionId }) => errorCode === 'UNAUTHORIZED' && executionId === null).length,
    ).toBe(6);
    const labels = { route: '/webhook/:suffix', status: '401' };
    expect(total(await scrape(gateway.url), 'deckhand_http_requests_total', labels)).toBeGreaterThanOrEqual(6);
  });

  it('lets a forged request neither use up the id of a genuine one nor count towards the rate limit', async () => {
    const settings = { rateLimit: { max: 2, windowSeconds: 60 } };
    const hook = await signed({ idempotencyKey: '{{ $trigger.body.id }}' }, { settings });
    const body = '{"id":"a","order":1}';
    const forged = [];
    for (let sent = 0; sent < 3; sent += 1) forged.push(await github(hook.path, body, { secret: 'guessed' }));
    expect(forged.map(({ status }) => status)).toEqual([401, 401, 401]);
    const [first, again] = [await github(hook.path, body), await github(hook.path, body)];
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true']);
    expect(again.body.executionId).toBe(first.body.executionId);
    expect(await runsOf(hook)).toBe(1);
  });

  it('refuses a recorded request once its time is too far away', async () => {
    const hook = await createHook(
      instance,
      { signature: 'stripe', signatureToleranceSeconds: 60 },
      { node: { credentialId } },
    );
    const send = async (ageSeconds: number) => {
      const time = Math.floor(Date.now() / 1_000) - ageSeconds;
      const headers = { 'stripe-signature': `t=${time},v1=${sign(`${time}.{}`)}` };
      return (await sendHook(instance.gateway, hook.path, { body: '{}', headers })).status;
    };
    expect([await send(0), await send(90), await send(-90), await send(30)]).toEqual([200, 401, 401, 200]);
    expect(await runsOf(hook)).toBe(2);
  });

  it('accepts two secrets while the sender changes over, and only the new one afterwards, from the next request on', async () => {
    const { gateway, session } = instance;
    const id = await keep({ token: 'first' });
    const hook = await createHook(instance, { signature: 'github' }, { node: { credentialId: id } });
    const accepted = async () => {
      const answers = [];
      for (const secret of ['first', 'second']) answers.push(await github(hook.path, '{}', { secret }));
      return answers.map(({ status }) => status);
    };
    const change = (secret: object) =>
      gateway.call('PATCH', `/api/credentials/${id}`, { as: session, body: { secret } });
    expect(await accepted()).toEqual([200, 401]);
    // Whoever changes it does not have to know the first one.
    const changed = await change({ token: '********', nextToken: 'second' });
    expect([changed.status, changed.text.includes('second')]).toEqual([200, false]);
    expect(await accepted()).toEqual([200, 200]);
    await change({ token: 'second' });
    expect(await accepted()).toEqual([401, 200]);
    await instance.db.credential.delete({ where: { id } });
    expect(await accepted()).toEqual([401, 401]);
  });

  it('sends an event for a genuine request only, in the mode signal', async () => {
    const hook = await signed({ mode: 'signal', event: { name: 'pushed' } });
    expect((await github(hook.path, '{}', { secret: 'guessed' })).status).toBe(401);
    expect(await instance.db.event.count({ where: { name: 'pushed' } })).toBe(0);
    expect((await github(hook.path, '{}')).status).toBe(200);
    expect(await instance.db.event.count({ where: { name: 'pushed' } })).toBe(1);
  });

  it.each([
    [{ signature: 'github', authentication: 'bearer' }, 'parameters.signature'],
    [{ signature: 'hmac' }, 'parameters.hmac'],
    [{ signature: 'github', hmac: { header: 'x-a' } }, 'parameters.hmac'],
    [{ signature: 'github', signatureToleranceSeconds: 60 }, 'parameters.signatureToleranceSeconds'],
    [{ signature: 'hmac', hmac: { header: 'x-a', signedText: '{url}' } }, 'parameters.hmac.signedText'],
    [{ signature: 'hmac', hmac: { header: 'x-a', timestampHeader: 'x-b' } }, 'parameters.hmac.signedText'],
    [{ signature: 'hmac', hmac: { header: 'x-a', signedText: '{id}{body}' } }, 'parameters.hmac.signedText'],
    [{ signature: 'hmac', hmac: { header: 'not a header' } }, 'parameters.hmac.header'],
  ])('is refused when it is saved if it could not be checked: %j', async (parameters, path) => {
    const { gateway, session, workspaceId } = instance;
    const definition = hookDefinition(parameters, { node: { credentialId } });
    const { status, body } = await gateway.call('POST', '/api/workflows', {
      as: session,
      body: { workspaceId, name: 'Hook', definition },
    });
    expect([status, body.details]).toMatchObject([400, [{ path: `definition.nodes[0].${path}` }]]);
    expect(body.details).toHaveLength(1);
  });

  it('needs a credential of type bearer', async () => {
    await expect(createHook(instance, { signature: 'github' })).rejects.toThrow(/a credential of type bearer/);
  });
});

describe('the id of a sender', () => {
  const failing = { nodes: [{ id: 'check', type: 'fail', parameters: { message: 'no' } }] };
  const send = (path: string) =>
    sendHook(instance.gateway, path, { body: '{"id":"a"}', headers: { 'content-type': 'application/json' } });
  const parameters = { idempotencyKey: '{{ $trigger.body.id }}', responseMode: 'onCompletion' };

  it('is used up when its run is accepted, if the trigger says so: a failed run is not started again', async () => {
    const hook = await createHook(instance, { ...parameters, idempotencyKeyUsedUp: 'whenAccepted' }, failing);
    const [first, again] = [await send(hook.path), await send(hook.path)];
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([500, 500, 'true']);
    expect(again.body.executionId).toBe(first.body.executionId);
    expect(await runsOf(hook)).toBe(1);
  });

  it('stands for its run also after the trigger has changed its mind', async () => {
    const { gateway, session } = instance;
    const hook = await createHook(instance, { ...parameters, idempotencyKeyUsedUp: 'whenAccepted' });
    const first = await send(hook.path);
    const path = `/api/workflows/${hook.workflowId}` as const;
    const definition = hookDefinition(parameters);
    const saved = await gateway.call('POST', `${path}/versions`, { as: session, body: { definition } });
    const { workflowVersionId: activeVersionId } = saved.body;
    await gateway.call('PATCH', path, { as: session, body: { activeVersionId } });
    const again = await send(hook.path);
    expect([again.status, again.body.executionId]).toEqual([200, first.body.executionId]);
  });
});

describe('the documented example', () => {
  it('is what GitHub sends, and lets nothing else through', async () => {
    const page = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
    const [, text] = /```json\n(\{\n {2}"nodes"[\s\S]*?)\n```/.exec(page) ?? [];
    const definition: Definition = JSON.parse(
      (text ?? '').replace(/"credentialId": "[^"]*"/, `"credentialId": "${credentialId}"`),
    );
    const { gateway, session, workspaceId } = instance;
    const created = await gateway.call('POST', '/api/workflows', {
      as: session,
      body: { workspaceId, name: 'Pushes', definition },
    });
    expect(created.status).toBe(201);
    await gateway.call('PATCH', `/api/workflows/${created.body.id}`, { as: session, body: { status: 'active' } });
    const { pathname } = new URL(created.body.webhooks[0]!.url);
    const body = '{"ref":"refs/heads/main"}';
    const send = (signature: string) =>
      sendHook(gateway, pathname, {
        body,
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
      });
    expect(await send(`sha256=${sign(body)}`)).toMatchObject({ status: 200, body: { branch: 'main' } });
    expect((await send(`sha256=${sign('{}')}`)).status).toBe(401);
  });
});
