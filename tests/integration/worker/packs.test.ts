import { composeConnector, isFailure, readPack } from '@deckhand/connectors';
import { isJsonObject, type JsonObject, type JsonValue, type PackPaging, SECRET_IN_PATH } from '@deckhand/contracts';
import { createConnector } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  callWithKey,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { type Exchange, exchangesOf, PACK_NAMES, packText } from '../../harness/packs.ts';
import { type Echo, echoOf, serve } from '../../harness/serve.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);

/** A response of a service in a test. */
interface Answer {
  readonly status: number;
  readonly body?: JsonValue;
  readonly link?: string;
}

/** The service of a pack. The host of an address is the first step of its path. */
interface Service {
  readonly url: string;
  /** The requests that it got. */
  readonly requests: readonly Echo[];
  /** Forgets all requests, and gives these responses to the next ones. */
  prepare(answers: readonly Answer[]): void;
}

async function startService(): Promise<Service> {
  let requests: Echo[] = [];
  let answers: readonly Answer[] = [];
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/token') {
      const token = { access_token: 'secret', token_type: 'bearer', expires_in: 3_600 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
      return;
    }
    requests.push(await echoOf(request));
    const { status, body, link } = answers[requests.length - 1] ?? { status: 500 };
    response.writeHead(status, { 'content-type': 'application/json', ...(link !== undefined && { link }) });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }
  const { url } = await serve((request, response) => void respond(request, response));
  return {
    url,
    get requests() {
      return requests;
    },
    prepare(next) {
      [requests, answers] = [[], next];
    },
  };
}

/** The secret of a credential of each type, and the value of the header that it becomes. */
function secretOf(type: string, header: string | undefined, url: string): { secret: object; value: string } {
  switch (type) {
    case 'basic':
      return { secret: { username: 'ada', password: 'secret' }, value: `Basic ${btoa('ada:secret')}` };
    case 'bearer':
      return { secret: { token: 'secret' }, value: 'Bearer secret' };
    case 'header':
      return { secret: { name: header, value: 'secret' }, value: 'secret' };
    case 'oauth2': {
      const client = { clientId: 'deckhand', clientSecret: 'c' };
      return { secret: { grant: 'clientCredentials', ...client, tokenUrl: `${url}/token` }, value: 'Bearer secret' };
    }
    default:
      return { secret: { value: 'secret' }, value: 'secret' };
  }
}

/** Publishes a pack whose service is on this machine, and a workflow that calls what its input names. */
async function publish(name: string) {
  const service = await startService();
  const document = packText(name, 'openapi.yaml').replaceAll(/\burl: https:\/\//g, `url: ${service.url}/`);
  const pack = packText(name, 'pack.yaml');
  const read = readPack({ pack: { name: 'pack', text: pack }, document: { name: 'document', text: document } });
  const loaded = 'issues' in read ? read : composeConnector(read.source, { pack: 'pack', document: 'document' });
  if ('issues' in loaded) throw new Error(JSON.stringify(loaded.issues));
  const { connector } = loaded;
  const { actions, ...head } = connector;
  const { db, workspaceId } = instance;
  const { userId } = await db.membership.findFirstOrThrow({ where: { workspaceId } });
  // Its name comes before that of the built-in one, whose service is elsewhere. The API would not take it.
  await createConnector(db, { userId, boundTo: null }, workspaceId, {
    ...{ name, version: head.version, head: JSON.stringify(head), summary: '{}' },
    operations: actions.map((action) => ({ id: action.id, summary: '{}', action: JSON.stringify(action) })),
  });
  const { type = '', header, path } = connector.credentials?.[0] ?? {};
  const { secret, value } = secretOf(type, header, service.url);
  const credential = await call('POST', '/api/credentials', { workspaceId, name, type, secret });
  expect(credential.status).toBe(201);
  const parameters = {
    ...{ connector: connector.name, version: connector.version },
    ...{ operation: '{{ $trigger.operation }}', values: '{{ $trigger.values }}', allPages: '{{ $trigger.allPages }}' },
  };
  const node = { id: 'call', type: 'connector', credentialId: credential.body.id, parameters };
  const nodes = [{ id: 'start', type: 'trigger.manual' }, node];
  const workflowId = await createWorkflow(instance, { nodes, edges: [{ source: 'start', target: 'call' }] });
  // A secret in the path is in no header.
  const ofSecret = path === undefined ? { [(header ?? 'authorization').toLowerCase()]: value } : {};
  const headers = { ...connector.headers, ...ofSecret };
  return { service, connector, workflowId, headers };
}

async function run(workflowId: string, input: JsonObject) {
  const started = await call('POST', `/api/workflows/${workflowId}/execute`, { executionMode: 'debug', input });
  const ended = await until(async () => {
    const { body } = await call('GET', `/api/executions/${started.body.executionId}`);
    return ['success', 'failed'].includes(body.status) ? body : undefined;
  });
  const { error, id } = ended;
  if (error) return { error, output: undefined };
  return { error, output: (await call('GET', `/api/executions/${id}/nodes/call/output`)).body.output };
}

/** Returns where an address of a service is in this test. */
function movedTo({ url }: Service, address: string): string {
  return address.replace(/^https:\/\//, `${url}/`).replace(SECRET_IN_PATH, 'secret');
}

/** Returns the body of the last page: its list, which is empty, and nothing that leads further. */
function emptyPage({ items = '' }: PackPaging): JsonValue {
  const names = items.split('.').filter((name) => name !== '');
  return names.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), []);
}

/** Returns a query as pairs that can be compared whatever their order is, after some were replaced. */
function queryOf(address: string, replaced: JsonObject = {}): readonly string[] {
  const query = new URL(address, 'http://service').searchParams;
  for (const [name, value] of Object.entries(replaced))
    query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return [...query].map(([name, value]) => `${name}=${value}`).sort();
}

/** Compares a request with the one that the service documents. */
function expectSent(sent: Echo | undefined, { request }: Exchange, service: Service, headers: object): void {
  const { method = '', url = '', body } = request;
  expect(sent).toMatchObject({ method, path: movedTo(service, url).slice(service.url.length) });
  expect(sent?.headers).toMatchObject({ ...headers, ...request.headers });
  const text = sent?.body ?? '';
  if (body === undefined) expect(text).toBe('');
  else if (typeof body === 'string') expect(text).toBe(body);
  else expect([sent?.headers['content-type'], JSON.parse(text)]).toEqual(['application/json', body]);
}

/**
 * Returns what the second page is requested with: the address of the page, or query parameters that differ from the
 * first one; undefined without a second page.
 * @returns `start` has the parameters that the first page has beside those of its exchange.
 */
function secondPage(
  paging: PackPaging,
  { request, expected }: Exchange,
  service: Service,
): { address?: string; query?: JsonObject; start?: JsonObject } | undefined {
  const { mode, parameter, start } = paging;
  const first = movedTo(service, request.url ?? '');
  if (mode === 'link') return { address: `${first}${first.includes('?') ? '&' : '?'}page=2` };
  if (mode === 'cursor') return isJsonObject(expected?.next) ? { query: expected.next } : undefined;
  if (mode === 'url') {
    const next = expected?.next;
    if (typeof next !== 'string') return undefined;
    const { host } = new URL(request.url ?? '');
    return { address: next.startsWith('/') ? `${service.url}/${host}${next}` : movedTo(service, next) };
  }
  const [from, name] = mode === 'page' ? [start ?? 1, parameter ?? 'page'] : [start ?? 0, parameter ?? 'offset'];
  const { items } = expected ?? {};
  const count = mode === 'offset' && Array.isArray(items) ? items.length : 1;
  return { query: { [name]: from + count }, start: { [name]: from } };
}

/** Returns a body in which the address of the next page is one of this test. */
function withNext(body: JsonValue, next: string | undefined, address: string | undefined): JsonValue {
  if (next === undefined || address === undefined) return body;
  return JSON.parse(JSON.stringify(body).replaceAll(JSON.stringify(next), JSON.stringify(address))) as JsonValue;
}

describe.each(PACK_NAMES)('nodes of the pack %s', (name) => {
  let published: Awaited<ReturnType<typeof publish>>;
  beforeAll(async () => {
    published = await publish(name);
  });
  const exchanges = exchangesOf(name);

  it.each(exchanges)('send and read as documented: $name', async (exchange) => {
    const { service, workflowId, connector, headers } = published;
    const { operation, values, response = { status: 204, body: undefined }, expected } = exchange;
    service.prepare([response]);
    const { output, error } = await run(workflowId, { operation, values, allPages: false });
    expect(service.requests).toHaveLength(1);
    const key = connector.actions.find(({ id }) => id === operation)?.idempotencyHeader ?? 'Idempotency-Key';
    expectSent(service.requests[0], exchange, service, {
      ...headers,
      [key.toLowerCase()]: expect.stringMatching(/:call$/),
    });
    const isRefused = response.status < 400 && isFailure(connector, response.body ?? null);
    if (response.status < 400 && !isRefused)
      expect(output).toMatchObject({ status: response.status, body: response.body ?? null });
    else {
      expect(error).toMatchObject({ code: isRefused ? 'HTTP_RESPONSE_FAILED' : 'HTTP_STATUS' });
      const problem = isRefused ? 'says that it failed' : `answered ${response.status}`;
      expect(error?.message.endsWith(`${problem}: ${expected?.error ?? ''}`)).toBe(true);
    }
  });

  const paged = exchanges.filter(({ expected }) => expected?.items !== undefined);
  if (paged.length === 0) return;
  it.each(paged)('read all pages: $name', async (exchange) => {
    const { service, workflowId, connector, headers } = published;
    const { operation, values, request, response, expected } = exchange;
    const paging = connector.actions.find(({ id }) => id === operation)?.paging;
    if (!paging || !response) throw new Error(`${operation} has no pages`);
    const second = secondPage(paging, exchange, service);
    const next = typeof expected?.next === 'string' ? expected.next : undefined;
    const link = paging.mode === 'link' && second?.address ? { link: `<${second.address}>; rel="next"` } : {};
    const first = { ...response, ...link, body: withNext(response.body, next, second?.address) };
    service.prepare([first, { status: 200, body: emptyPage(paging) }]);
    const { output, error } = await run(workflowId, { operation, values, allPages: true });
    expect(error ?? null).toBeNull();
    expect(output).toEqual(expected?.items);
    const { requests } = service;
    const from = movedTo(service, request.url ?? '').slice(service.url.length);
    expect(requests).toHaveLength(second === undefined ? 1 : 2);
    expect(queryOf(requests[0]?.path ?? '')).toEqual(queryOf(from, second?.start));
    for (const sent of requests) expect(sent.headers).toMatchObject(headers);
    if (second?.address !== undefined)
      expect(requests[1]?.path).toBe(new URL(second.address).href.slice(service.url.length));
    else if (second) expect(queryOf(requests[1]?.path ?? '')).toEqual(queryOf(from, second.query));
  });
});
