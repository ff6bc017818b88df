import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@deckhand/contracts';
import { type NodeContext, NodeError, type OpenedCredential, type TrafficRequest } from '@deckhand/engine';
import type { RequestListener } from 'node:http';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { connectorsOf, trackerAt } from '../../../../tests/harness/connectors.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { type Echo, echoOf, serve } from '../../../../tests/harness/serve.ts';
import { createHttpClient } from '../http/client.ts';
import node from './connector.ts';

const http = createHttpClient({ allowPrivate: true });

afterAll(async () => {
  await http.close();
  await stopAll();
});

const TRACKER = { connector: 'tracker', version: '1.0.0' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Calls an operation of the tracker, whose service responds as a listener does. */
async function call(parameters: JsonObject, listener: RequestListener, context: Partial<NodeContext> = {}) {
  const { url } = await serve(listener);
  const services = { ...NO_SERVICES, http, connectors: connectorsOf(trackerAt(url)) };
  return node.run({ ...TRACKER, ...parameters }, nodeContext({ services, ...context }));
}

/** Calls an operation of a service that echoes the request. */
async function echoed(parameters: JsonObject, context: Partial<NodeContext> = {}): Promise<Echo> {
  let echo: Echo | undefined;
  await call(
    parameters,
    (request, response) => {
      void echoOf(request).then((found) => {
        echo = found;
        response.end();
      });
    },
    context,
  );
  if (!echo) throw new Error('the service got no request');
  return echo;
}

/** Calls an operation whose service must get no request. */
const refused = (parameters: JsonObject, context: Partial<NodeContext> = {}) =>
  call(
    parameters,
    (_request, response) => {
      response.end();
    },
    context,
  ).then(
    () => {
      throw new Error('a request was sent');
    },
    (error: unknown) => error,
  );

describe('what is sent', () => {
  it('has the values, the headers, the defaults and the idempotency header of the pack', async () => {
    const echo = await echoed({ operation: 'issue.create', values: { body: { title: 'Broken', priority: null } } });
    expect(echo).toMatchObject({
      method: 'POST',
      path: '/issues',
      body: '{"priority":"normal","title":"Broken","source":"deckhand"}',
      headers: { 'x-api-version': '2', 'x-request-key': 'run:node', 'content-type': 'application/json' },
    });
    expect(echo.headers).not.toHaveProperty('idempotency-key');
  });

  it('has the usual idempotency key, and hidden fields whatever the values are', async () => {
    const echo = await echoed({ operation: 'issue.list', values: { query: { state: 'open', cursor: null } } });
    expect(echo.path).toBe('/issues?state=open&per_page=2');
    expect(echo.headers).toMatchObject({ 'idempotency-key': 'run:node' });
  });

  it.each<[string, OpenedCredential, JsonObject]>([
    ['an API key in the header of the preset', { type: 'apiKey', secret: { value: 's' } }, { 'x-tracker-key': 's' }],
    ['an API key in its own header', { type: 'apiKey', secret: { value: 's', header: 'x-own' } }, { 'x-own': 's' }],
    [
      'a token of OAuth 2.0',
      { type: 'bearer', secret: { token: 't' }, renew: () => Promise.resolve(undefined) },
      { authorization: 'Bearer t' },
    ],
  ])('has %s', async (_what, credential, headers) => {
    const context = { credential: () => Promise.resolve(credential) };
    expect((await echoed({ operation: 'issue.list' }, context)).headers).toMatchObject(headers);
  });

  it('is limited by the pack, unless the credential has a limit of its own', async () => {
    const admitted: TrafficRequest[] = [];
    const limited = async (traffic: Pick<OpenedCredential, 'traffic'>) => {
      const credential: OpenedCredential = { type: 'apiKey', secret: { value: 's' }, ...traffic };
      const { url } = await serve((_request, response) => response.end());
      const services = {
        ...NO_SERVICES,
        http,
        connectors: connectorsOf(trackerAt(url)),
        traffic: {
          admit: (request: TrafficRequest) => {
            admitted.push(request);
            return NO_SERVICES.traffic.admit(request);
          },
        },
      };
      const context = { services, credentialId: 'c', credential: () => Promise.resolve(credential) };
      await node.run({ ...TRACKER, operation: 'issue.list' }, nodeContext(context));
    };
    const own = { requests: 1, per: 'minute' } as const;
    await limited({});
    await limited({ traffic: { credentialId: 'c', rateLimit: own, circuit: null } });
    expect(admitted.map(({ limits }) => limits)).toEqual([
      { credentialId: 'c', rateLimit: { requests: 1000, per: 'second', burst: 1000 }, circuit: null },
      { credentialId: 'c', rateLimit: own, circuit: null },
    ]);
  });
});

describe('nothing is sent', () => {
  it.each<[string, JsonObject, string, string]>([
    ['an unknown operation', { operation: 'issue.delete' }, 'CONNECTOR_NOT_FOUND', 'issue.delete'],
    ['an unknown connector', { connector: 'x', operation: 'issue.get' }, 'CONNECTOR_NOT_FOUND', 'connector x 1.0.0'],
    ['an unknown version', { version: '2.0.0', operation: 'issue.get' }, 'CONNECTOR_NOT_FOUND', 'tracker 2.0.0'],
    [
      'values that do not fit',
      { operation: 'issue.create', values: { body: { title: 5 } } },
      'PARAMETERS_INVALID',
      'parameters.values.body.title must be string',
    ],
    ['missing values', { operation: 'issue.create' }, 'PARAMETERS_INVALID', 'parameters.values.body is required'],
    [
      'a hidden field',
      { operation: 'issue.list', values: { query: { per_page: 100 } } },
      'PARAMETERS_INVALID',
      'parameters.values.query.per_page is not a known field',
    ],
    [
      'a value that would lead to another path',
      { operation: 'issue.get', values: { path: { id: '..' } } },
      'PARAMETERS_INVALID',
      'parameters.values.path.id must not be . or ..',
    ],
    [
      'all pages of an operation without pages',
      { operation: 'issue.create', values: { body: { title: 'A' } }, allPages: true },
      'PARAMETERS_INVALID',
      'parameters.allPages needs an operation with pages',
    ],
  ])('for %s', async (_what, parameters, code, message) => {
    const error = await refused(parameters);
    expect(error).toMatchObject({ code, isRetryable: false, message: expect.stringContaining(message) });
  });

  it.each<[string, OpenedCredential]>([
    ['of another type than its presets', { type: 'basic', secret: { username: 'u', password: 'p' } }],
    ['that is a token without OAuth 2.0', { type: 'bearer', secret: { token: 't' } }],
  ])('with a credential %s', async (_what, credential) => {
    const error = await refused({ operation: 'issue.list' }, { credential: () => Promise.resolve(credential) });
    expect(error).toMatchObject({ code: 'CREDENTIAL_UNSUITABLE', message: expect.stringContaining('apiKey, oauth2') });
  });
});

describe('all pages', () => {
  const pages: RequestListener = (request, response) => {
    const cursor = new URL(request.url ?? '', 'http://tracker').searchParams.get('cursor') ?? '0';
    const next = cursor === '2' ? null : String(Number(cursor) + 1);
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ issues: [`${cursor}a`, `${cursor}b`], page: { next } }));
  };

  it('are one list of items', async () => {
    const outcome = await call({ operation: 'issue.list', allPages: true }, pages);
    expect(outcome).toMatchObject({ output: ['0a', '0b', '1a', '1b', '2a', '2b'] });
  });

  it('are not more than the limit', async () => {
    const failed = call({ operation: 'issue.list', allPages: true, maxPages: 2 }, pages);
    await expect(failed).rejects.toMatchObject({ code: 'HTTP_TOO_MANY_PAGES' });
  });

  it('are not stored as files', () => {
    expect(node.check?.({ allPages: true, responseType: 'file' })).toEqual([
      { path: 'responseType', message: 'must not be file with allPages' },
    ]);
  });

  it('without them, the first page is the output', async () => {
    const outcome = await call({ operation: 'issue.list' }, pages);
    expect(outcome).toMatchObject({ output: { status: 200, body: { issues: ['0a', '0b'], page: { next: '1' } } } });
  });
});

describe('a response with an error', () => {
  it.each([
    ['says what the service says', { error: { message: 'No such project' } }, ': No such project'],
    ['says how its body begins', { problem: 'No' }, ': {"problem":"No"}'],
  ])('%s', async (_what, body, message) => {
    const failed = call({ operation: 'issue.get', values: { path: { id: '7' } } }, (_request, response) => {
      response.writeHead(404, JSON_TYPE).end(JSON.stringify(body));
    });
    const error: unknown = await failed.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NodeError);
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      message: expect.stringContaining(`/issues/7 answered 404${message}`),
    });
  });

  it.each<[string, JsonObject]>([
    ['by default', {}],
    ['with all pages', { allPages: true }],
  ])('fails with a status of success too, %s', async (_what, parameters) => {
    const refusal: RequestListener = (_request, response) => {
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ok: false, error: { message: 'channel_not_found' } }));
    };
    const failed = call({ operation: 'issue.list', ...parameters }, refusal);
    await expect(failed).rejects.toMatchObject({
      code: 'HTTP_RESPONSE_FAILED',
      isRetryable: true,
      message: expect.stringContaining('/issues says that it failed: channel_not_found'),
      details: { status: 200, body: { ok: false } },
    });
    const accepted = await call({ operation: 'issue.list', acceptErrorStatus: true }, refusal);
    expect(accepted).toMatchObject({ output: { status: 200, body: { ok: false } } });
  });
});

describe('a secret in the path', () => {
  const TOKEN = '123456:AAbb-cc_dd';
  const path = [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }];
  const PACK = `
name: bot
version: 1.0.0
title: Bot
credentials: [{ type: apiKey, title: Token, path: token }]
operations: [{ id: message.send, operation: send, title: Send }]
`;

  /** Calls the operation. @returns its outcome or its error. */
  async function send(credential: OpenedCredential | undefined, listener: RequestListener): Promise<unknown> {
    const { url: address } = await serve(listener);
    const document = { '/bot{token}/send': { parameters: path, post: { operationId: 'send' } } };
    const files = {
      pack: PACK,
      document: JSON.stringify({ openapi: '3.1.0', servers: [{ url: address }], paths: document }),
    };
    const services = { ...NO_SERVICES, http, connectors: connectorsOf(files) };
    const parameters = { connector: 'bot', version: '1.0.0', operation: 'message.send' };
    try {
      return await node.run(parameters, nodeContext({ services, credential: () => Promise.resolve(credential) }));
    } catch (error) {
      return error;
    }
  }

  const key = (value: string): OpenedCredential => ({ type: 'apiKey', secret: { value } });

  it('is sent there, and nowhere else', async () => {
    const requests: unknown[] = [];
    const outcome = await send(key(TOKEN), ({ url, headers }, response) => {
      requests.push([url, JSON.stringify(headers).includes('AAbb')]);
      response.end('{}');
    });
    expect(outcome).toMatchObject({ kind: 'output' });
    expect(requests).toEqual([[`/bot${TOKEN}/send`, false]]);
  });

  it.each<[string, RequestListener]>([
    ['a status', (_request, response) => response.writeHead(404).end('not found')],
    ['a redirect', (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['a broken connection', (request) => request.socket.destroy()],
  ])('is not in the failure or the output after %s', async (_what, listener) => {
    const outcome = await send(key(TOKEN), listener);
    const shown = outcome instanceof NodeError ? [outcome.message, outcome.details] : outcome;
    expect(JSON.stringify(shown)).not.toContain('AAbb');
    if (outcome instanceof NodeError) expect(outcome.message).toContain('/bot~secret~/send');
    else expect(outcome).toMatchObject({ output: { status: 307 } });
  });

  it.each([[undefined], [key('../secret')], [key('a/b')], [key('..')]])(
    'is needed, and a part of a step: %j',
    async (credential) => {
      const requests: unknown[] = [];
      const outcome = await send(credential, ({ url }, response) => {
        requests.push(url);
        response.end();
      });
      expect([outcome, requests]).toEqual([expect.objectContaining({ code: 'CREDENTIAL_UNSUITABLE' }), []]);
    },
  );
});
