import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { NodeContext } from '@deckhand/engine';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { edges, runInMemory } from '../../../../tests/harness/engine.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { echoOf, serve } from '../../../../tests/harness/serve.ts';
import { createHttpClient } from '../http/client.ts';
import node from './http.ts';

const http = createHttpClient({ allowPrivate: true });

afterAll(async () => {
  await http.close();
  await stopAll();
});

const run = async (parameters: JsonObject, context: Partial<NodeContext> = {}) =>
  node.run(parameters, nodeContext({ services: { ...NO_SERVICES, http }, ...context }));

/** Runs against a server that echoes the request. */
async function echoed(parameters: JsonObject) {
  const { url } = await serve((request, response) => {
    void echoOf(request).then((echo) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(echo)),
    );
  });
  return run({ url, ...parameters });
}

/** A server that keeps its requests. */
async function recorder() {
  const requests: IncomingMessage[] = [];
  const { url } = await serve((request, response) => {
    requests.push(request);
    response.end();
  });
  return { url, requests };
}

/** Runs against a server with one response. */
async function answered(
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer,
  parameters: JsonObject = {},
) {
  const { url } = await serve((_request, response) => response.writeHead(status, headers).end(body));
  return run({ url: `${url}/path?key=secret`, ...parameters });
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('what is sent', () => {
  it('is a GET with the idempotency key of the node run', async () => {
    expect(await echoed({})).toMatchObject({
      output: { body: { method: 'GET', path: '/', body: '', headers: { 'idempotency-key': 'run:node' } } },
    });
  });

  it('is what the parameters say', async () => {
    const parameters = { method: 'POST', query: { a: 1 }, headers: { 'X-B': 'c' }, body: { d: 'e' } };
    expect(await echoed(parameters)).toMatchObject({
      output: {
        body: {
          method: 'POST',
          path: '/?a=1',
          headers: { 'x-b': 'c', 'content-type': 'application/json' },
          body: '{"d":"e"}',
        },
      },
    });
  });

  it('lacks query parameters and headers that an expression found nothing for', async () => {
    const parameters = { query: { a: '{{ $trigger.missing }}', b: 1 }, headers: { 'x-a': '{{ $trigger.nothing }}' } };
    const { url, requests } = await recorder();
    const { ending } = await runInMemory(
      {
        nodes: [
          { id: 'start', type: 'trigger.manual' },
          { id: 'send', type: 'http', parameters: { url, ...parameters } },
        ],
        edges: edges('start -> send'),
      },
      { services: { http }, trigger: { nothing: null } },
    );
    expect(ending.kind).toBe('success');
    expect(requests.map((request) => [request.url, request.headers['x-a']])).toEqual([['/?b=1', undefined]]);
  });

  it('is checked when a version is saved, as far as it is known by then', () => {
    expect(node.check?.({ url: 'ftp://example.com' })).toMatchObject([{ path: 'url' }]);
    expect(node.check?.({ url: 'https://example.com' })).toEqual([]);
    expect(node.check?.({ url: '{{ $trigger.url }}' })).toEqual([]);
  });
});

describe('what is answered', () => {
  it.each<[string, OutgoingHttpHeaders, string | Buffer, JsonValue]>([
    ['JSON', JSON_TYPE, '{"a":1}', { a: 1 }],
    ['JSON of a kind', { 'content-type': 'application/problem+json; charset=utf-8' }, '[1]', [1]],
    ['JSON with a byte order mark', JSON_TYPE, '\ufeff{"a":1}', { a: 1 }],
    ['JSON that is empty', JSON_TYPE, '', null],
    [
      'JSON with a number beyond the safe range',
      JSON_TYPE,
      '{"id":7615917337495251231}',
      { id: '7615917337495251231' },
    ],
    ['JSON with a number beyond all numbers', JSON_TYPE, '[1e999,-1E+400]', ['1e999', '-1E+400']],
    ['JSON that is none', JSON_TYPE, '{oops', '{oops'],
    ['text', { 'content-type': 'text/html' }, '<p>ü</p>', '<p>ü</p>'],
    ['text in another character set', { 'content-type': 'text/plain; charset=iso-8859-1' }, Buffer.from([0xfc]), 'ü'],
    ['text whose mark names its character set', { 'content-type': 'text/csv' }, Buffer.from('\ufeffö', 'utf16le'), 'ö'],
    [
      'XML that declares its character set',
      { 'content-type': 'application/xml' },
      Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>ö</a>', 'latin1'),
      '<?xml version="1.0" encoding="ISO-8859-1"?><a>ö</a>',
    ],
    ['lines of JSON', { 'content-type': 'application/x-ndjson' }, '{"a":1}\n{"a":2}\n', '{"a":1}\n{"a":2}\n'],
    ['YAML', { 'content-type': 'application/yaml' }, 'a: 1', 'a: 1'],
    ['text in an unknown character set', { 'content-type': 'text/plain; charset=none' }, 'a', 'a'],
    ['bytes without a type', {}, 'plain', 'plain'],
    [
      'an image',
      { 'content-type': 'image/png' },
      Buffer.from([0x89, 0x50]),
      { base64: 'iVA=', contentType: 'image/png', bytes: 2 },
    ],
  ])('is read by its content type: %s', async (_what, headers, sent, body) => {
    expect(await answered(200, headers, sent)).toMatchObject({ output: { status: 200, body } });
  });

  it('is read as the parameters say', async () => {
    expect(await answered(200, {}, '{"a":1}', { responseType: 'json' })).toMatchObject({ output: { body: { a: 1 } } });
    expect(await answered(200, JSON_TYPE, '{}', { responseType: 'text' })).toMatchObject({ output: { body: '{}' } });
    expect(await answered(200, JSON_TYPE, '{}', { responseType: 'binary' })).toMatchObject({
      output: { body: { base64: 'e30=', contentType: 'application/json', bytes: 2 } },
    });
    await expect(answered(200, {}, 'oops', { responseType: 'json' })).rejects.toMatchObject({
      code: 'HTTP_RESPONSE_INVALID',
      isRetryable: false,
    });
  });

  it('has headers in UTF-8 and in Latin-1', async () => {
    const headers = {
      'content-disposition': Buffer.from('attachment; filename="größe €.pdf"').toString('latin1'),
      'x-latin-1': 'größe',
      'set-cookie': [Buffer.from('a=ö').toString('latin1')],
    };
    expect(await answered(200, headers, '')).toMatchObject({
      output: {
        headers: {
          'content-disposition': 'attachment; filename="größe €.pdf"',
          'x-latin-1': 'größe',
          'set-cookie': ['a=ö'],
        },
      },
    });
  });

  it('has its headers in lower case, several of a name joined, cookies as a list', async () => {
    const headers = { 'X-A': ['1', '2'], 'Set-Cookie': ['a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT'] };
    expect(await answered(200, headers, '')).toMatchObject({
      output: { headers: { 'x-a': '1, 2', 'set-cookie': ['a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT'] } },
    });
  });
});

describe('a status of 400 or more', () => {
  it.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [409, false],
    [422, false],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
  ])('fails the node: %i, may be tried again: %p', async (status, isRetryable) => {
    const failure = { code: 'HTTP_STATUS', isRetryable };
    await expect(answered(status, JSON_TYPE, '{"error":"no"}', { method: 'PUT' })).rejects.toMatchObject({
      ...failure,
      message: expect.stringMatching(
        new RegExp(`^PUT http://127\\.0\\.0\\.1:\\d+/path answered ${status}: \\{"error":"no"\\}$`),
      ),
    });
  });

  it('never shows the query or credentials in its message', async () => {
    const { url } = await serve((_request, response) => response.writeHead(500).end());
    const given = `${url.replace('//', '//user:hidden@')}/path?key=hidden`;
    const thrown: unknown = await run({ url: given, query: { token: 'hidden' } }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ message: `GET ${url}/path answered 500` });
  });

  it('quotes the beginning of the answer, on one line', async () => {
    const body = `first\n\tsecond ${'🙂'.repeat(300)}`;
    await expect(answered(500, { 'content-type': 'text/plain' }, body)).rejects.toMatchObject({
      message: expect.stringMatching(/ answered 500: first second (🙂){187}…$/u),
    });
    await expect(answered(500, { 'content-type': 'image/png' }, Buffer.from([1, 2]))).rejects.toMatchObject({
      message: expect.stringMatching(/ answered 500$/),
    });
  });

  it('asks for the delay of its Retry-After header', async () => {
    await expect(answered(429, { 'retry-after': '120' }, '')).rejects.toMatchObject({ minRetryDelayMs: 120_000 });
    await expect(answered(503, {}, '')).rejects.toMatchObject({ minRetryDelayMs: undefined });
  });

  it('is an output when the parameters accept it', async () => {
    expect(await answered(404, JSON_TYPE, '{"error":"no"}', { acceptErrorStatus: true })).toMatchObject({
      output: { status: 404, body: { error: 'no' } },
    });
  });
});

describe('a run that is stopped', () => {
  it('ends the request', async () => {
    const abort = new AbortController();
    const { url } = await serve(() => setTimeout(() => abort.abort(), 10));
    await expect(run({ url }, { signal: () => abort.signal })).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED' });
  });
});

describe('in sandbox mode', () => {
  it('nothing is sent', async () => {
    const url = 'http://127.0.0.1:9/';
    const sandbox = nodeContext({ mode: 'sandbox' });
    expect(await node.run({ url }, sandbox)).toMatchObject({ output: { status: 200, body: {} } });
    expect(await node.run({ url }, { ...sandbox, mock: { status: 201 } })).toMatchObject({ output: { status: 201 } });
  });
});
