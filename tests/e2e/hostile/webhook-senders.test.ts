import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createHook,
  createWorkflow,
  type Gateway,
  type Instance,
  sendHook,
  startGateway,
  startInstance,
  stopAll,
  triggerOf,
  until,
} from '../../harness/index.ts';

const TIMES = { headersTimeout: 400, requestTimeout: 800, connectionsCheckingInterval: 50 };

let instance: Instance;
/** Shortens the time limits of connections. */
let hasty: Gateway;

beforeAll(async () => {
  instance = await startInstance();
  hasty = await startGateway(instance, { times: TIMES, env: { WEBHOOK_MAX_BYTES: '100000' } });
});
afterAll(stopAll);

function open({ url }: Gateway): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return socket;
}

/** Writes bytes to a connection and reads to its end. */
async function exchange(gateway: Gateway, sent: string, { ends = false } = {}): Promise<string> {
  const socket = open(gateway);
  const answer = text(socket).catch(() => '');
  socket.write(sent);
  if (ends) socket.end();
  return answer;
}

/** Returns the head of the first response on a connection that stays open. */
function firstResponse(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
      if (received.includes('\r\n\r\n')) resolve(received);
    });
    socket.on('close', () => resolve(received));
  });
}

const head = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const runs = () => instance.db.execution.count();

describe('callers who send much at once', () => {
  it('are told to come back once their bodies are more than the service holds, and no small one is', async () => {
    const { gateway } = instance;
    const { path } = await createHook(instance, { payloadType: 'text' });
    const bytes = 10_000_000;
    const begun = Array.from({ length: 16 }, () => {
      const socket = open(gateway);
      const answer = firstResponse(socket);
      socket.write(head(path, `Content-Length: ${bytes}`, 'Content-Type: text/plain'));
      socket.write(Buffer.alloc(bytes - 1, 'a'));
      return { socket, answer };
    });
    // None of them is complete: the first response is for one that was given up.
    const refused = await Promise.race(begun.map(({ answer }) => answer));
    expect(refused).toContain('503 Service Unavailable');
    expect(refused).toMatch(/retry-after: 2/i);
    expect((await sendHook(gateway, path, { body: 'small' })).status).toBe(200);
    for (const { socket } of begun) socket.write('a');
    const statuses = (await Promise.all(begun.map(({ answer }) => answer))).map(statusOf);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses.filter((status) => status === 503).length).toBeLessThanOrEqual(4);
    for (const { socket } of begun) socket.destroy();
  });
});

describe('slow callers', () => {
  it('who never end their headers, or their body, get a 408; others are served meanwhile', async () => {
    const { path } = await createHook(instance, {});
    const before = await runs();
    const starts = Array.from({ length: 100 }, (_, n) =>
      n % 2 === 0 ? `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Slow` : `${head(path, 'Content-Length: 1000')}a`,
    );
    const answers = starts.map((start) => exchange(hasty, start));
    expect((await sendHook(hasty, path)).status).toBe(200);
    expect((await Promise.all(answers)).map(statusOf)).toEqual(starts.map(() => 408));
    expect(await runs()).toBe(before + 1);
  });

  it('who send a byte now and then gain nothing by it', async () => {
    const { path } = await createHook(instance, {});
    const before = await runs();
    const socket = open(hasty);
    const answer = text(socket).catch(() => '');
    socket.write(head(path, 'Content-Length: 1000'));
    const drip = setInterval(() => socket.write('a'), 50);
    // The connection ends, which is enough: a byte that arrives after it was closed causes a reset, which may discard
    // the 408.
    const received = await answer;
    clearInterval(drip);
    expect(received).toMatch(/^($|HTTP\/1\.1 408 )/);
    expect(await runs()).toBe(before);
  });
});

describe('broken requests', () => {
  it('a body shorter than its Content-Length starts nothing, and is in the log as unanswered', async () => {
    const hook = await createHook(instance, {});
    const before = await runs();
    const answer = await exchange(instance.gateway, `${head(hook.path, 'Content-Length: 10')}abc`, { ends: true });
    expect([400, Number.NaN]).toContain(statusOf(answer));
    const { workflowId } = hook;
    const logged = await until(() => instance.db.webhookDelivery.findFirst({ where: { workflowId } }));
    expect(logged).toMatchObject({ status: null, executionId: null });
    expect(await runs()).toBe(before);
  });

  it('a caller who disconnects before the lookup is in the log, too', async () => {
    const hook = await createHook(instance, {});
    const { workflowId } = hook;
    const count = 50;
    for (let n = 0; n < count; n += 1) {
      const socket = open(instance.gateway);
      socket.write(`${head(hook.path, 'Content-Length: 10')}abc`, () => socket.destroy());
    }
    const logged = () => instance.db.webhookDelivery.count({ where: { workflowId, status: null, executionId: null } });
    await until(async () => (await logged()) === count, 'an entry for each');
  });

  it('headers that come twice are one list; two lengths, or two ways to tell the length, are a 400', async () => {
    const { path } = await createHook(instance, {});
    const close = 'Connection: close';
    const twice = await exchange(instance.gateway, head(path, close, 'X-A: 1', 'x-a: 2', 'Content-Length: 0'));
    expect(statusOf(twice)).toBe(200);
    const id = /"executionId":"([^"]+)"/.exec(twice)?.[1] ?? '';
    expect((await triggerOf(instance, id)).headers['x-a']).toBe('1, 2');
    const lengths = ['Content-Length: 1', 'Content-Length: 2'];
    expect(statusOf(await exchange(instance.gateway, `${head(path, close, ...lengths)}ab`))).toBe(400);
    const ways = ['Content-Length: 5', 'Transfer-Encoding: chunked'];
    expect(statusOf(await exchange(instance.gateway, `${head(path, close, ...ways)}0\r\n\r\n`))).toBe(400);
  });

  it('the right secret twice is a wrong one', async () => {
    const { path } = await createHook(instance, { secret: 'sesame' });
    const secret = 'X-Webhook-Secret: sesame';
    const answer = await exchange(
      instance.gateway,
      head(path, 'Connection: close', 'Content-Length: 0', secret, secret),
    );
    expect(statusOf(answer)).toBe(401);
  });

  it('the secret of a node with the id __proto__ is not a secret of other webhooks', async () => {
    const nodes = [{ id: '__proto__', type: 'trigger.webhook', parameters: { secret: 'mine' } }];
    await createWorkflow(instance, { nodes, edges: [] });
    expect(Object.hasOwn(Object.prototype, 'secret')).toBe(false);
    const { path } = await createHook(instance, {});
    expect((await sendHook(instance.gateway, path)).status).toBe(200);
  });

  it('10,000 query parameters are too long a line; as many as fit arrive', async () => {
    const { path } = await createHook(instance, {});
    expect((await sendHook(instance.gateway, `${path}?${'a=1&'.repeat(10_000)}`)).status).toBe(431);
    const { status, body } = await sendHook(instance.gateway, `${path}?${'a&'.repeat(7_000)}`);
    expect(status).toBe(200);
    expect((await triggerOf(instance, body.executionId)).query.a).toHaveLength(7_000);
    const wide = Array.from({ length: 1_500 }, (_, n) => `p${n}=1`).join('&');
    const second = await sendHook(instance.gateway, `${path}?${wide}`);
    expect(Object.keys((await triggerOf(instance, second.body.executionId)).query)).toHaveLength(1_500);
  });

  it('413 before the body if its length is known, otherwise as soon as it is too large', async () => {
    const { path } = await createHook(instance, {});
    // No byte of the body is sent: a service that waited for it would hang.
    const said = open(hasty);
    said.write(head(path, 'Content-Length: 100000000'));
    const first = await new Promise<string>((resolve) => said.once('data', (data) => resolve(String(data))));
    said.destroy();
    expect(statusOf(first)).toBe(413);
    const unsaid = open(hasty);
    const chunk = `${(50_001).toString(16)}\r\n${'x'.repeat(50_001)}\r\n`;
    unsaid.write(head(path, 'Transfer-Encoding: chunked') + chunk + chunk);
    const second = await new Promise<string>((resolve) => unsaid.once('data', (data) => resolve(String(data))));
    unsaid.destroy();
    expect(statusOf(second)).toBe(413);
  });
});
