import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Definition } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHook, type Instance, sendHook, startInstance, startTestWorker, stopAll } from '../../harness/index.ts';

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
    expect((await send(`sha256=${sign('{}')}`)).status).toBe(500);
  });
});
