import { afterAll, describe, expect, it } from '@jest/globals';
import type { HttpRequest } from '@deckhand/engine';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import { until } from '../../../../tests/harness/until.ts';
import { createHttpClient } from './client.ts';

const client = createHttpClient({ allowPrivate: true });

afterAll(async () => {
  await client.close();
  await stopAll();
});

const send = (url: string, options: Partial<HttpRequest> = {}) =>
  client.request({
    method: 'GET',
    url,
    headers: {},
    body: undefined,
    followRedirects: true,
    maxResponseBytes: 100_000,
    signal: AbortSignal.timeout(10_000),
    ...options,
  });

const textOf = async (...request: Parameters<typeof send>) => Buffer.from((await send(...request)).body).toString();

describe('a server that sends nothing', () => {
  it.each([
    ['at all', () => undefined],
    ['after its headers', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
  ])('%s is given up after the time of the request', async (_when, respond) => {
    const { url } = await serve((_request, response) => {
      respond(response);
    });
    const failed = send(url, { maxSilenceMs: 1 });
    await expect(failed).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED', isRetryable: true });
  });
});

describe('a connection', () => {
  it.each([
    ['NTLM TlRM', false],
    ['negotiate YII', false],
    ['Bearer x', true],
  ])('that a request with %s authenticated is used for others: %s', async (authorization, expected) => {
    const authenticated = new WeakSet<Socket>();
    let isUsedAgain = false;
    const { url } = await serve((request, response) => {
      isUsedAgain ||= authenticated.has(request.socket);
      if (request.headers.authorization !== undefined) authenticated.add(request.socket);
      response.end('ok');
    });
    await textOf(url, { headers: { Authorization: authorization } });
    for (let requests = 0; requests < 10; requests += 1) await textOf(url);
    expect(isUsedAgain).toBe(expected);
  });
});

describe('an exempt origin', () => {
  const publicOnly = createHttpClient({ allowPrivate: false });
  afterAll(() => publicOnly.close());

  it('is reached though its address is private, and no other is, not by a redirect of its either', async () => {
    const { url: own } = await serve((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: `${other}/` });
      response.end('own');
    });
    const { url: other } = await serve((_request, response) => response.end('other'));
    const options = { method: 'GET', headers: {}, body: undefined, followRedirects: true, maxResponseBytes: 1_000 };
    const ask = (url: string, exemptOrigin?: string) =>
      publicOnly.request({ ...options, url, exemptOrigin, signal: AbortSignal.timeout(10_000) });
    expect((await ask(`${own}/`, own)).status).toBe(200);
    for (const [url, exempt] of [
      [`${own}/`, undefined],
      [`${other}/`, own],
      [`${own}/away`, own],
    ] as const) {
      await expect(ask(url, exempt)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
    }
  });
});

describe('a compressed answer', () => {
  const codings = {
    gzip: gzipSync,
    'x-gzip': gzipSync,
    br: brotliCompressSync,
    deflate: deflateSync,
    'deflate ': deflateRawSync,
    'gzip, br': (text: string) => brotliCompressSync(gzipSync(text)),
    identity: (text: string) => Buffer.from(text),
  };

  it.each(Object.entries(codings))('is decompressed: %s', async (encoding, compress) => {
    const { url } = await serve((_request, response) => {
      response.setHeader('content-encoding', encoding.trim()).end(compress('hello'));
    });
    expect(await textOf(url)).toBe('hello');
  });

  it.each(['utf-8', 'aws-chunked', 'none', 'identity, UTF-8', ''])(
    'is left as it is where its content-encoding is not a coding: %p',
    async (encoding) => {
      const { url } = await serve((_request, response) => {
        response.setHeader('content-encoding', encoding).end('{"a":1}');
      });
      expect(await textOf(url)).toBe('{"a":1}');
    },
  );

  it('is decompressed where the coding has such a label beside it', async () => {
    const { url } = await serve((_request, response) => {
      response.setHeader('content-encoding', 'aws-chunked, gzip').end(gzipSync('hello'));
    });
    expect(await textOf(url)).toBe('hello');
  });

  it('without a body, as to HEAD, is empty', async () => {
    const { url } = await serve((_request, response) => response.setHeader('content-encoding', 'gzip').end());
    expect(await textOf(url, { method: 'HEAD' })).toBe('');
    expect(await textOf(url)).toBe('');
  });

  it('in a coding that nobody asked for fails for good', async () => {
    const { url } = await serve((_request, response) => response.setHeader('content-encoding', 'zstd').end('x'));
    await expect(send(url)).rejects.toMatchObject({ code: 'HTTP_RESPONSE_INVALID', isRetryable: false });
  });

  it('that is broken fails, and may be tried again', async () => {
    const { url } = await serve((_request, response) => response.setHeader('content-encoding', 'gzip').end('nonsense'));
    await expect(send(url)).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED', isRetryable: true });
  });
});

describe('an answer over the limit', () => {
  const tooLarge = { code: 'RESPONSE_TOO_LARGE', isRetryable: false };

  it('that never ends is not read on', async () => {
    let sentBytes = 0;
    const seen = { isClosed: false };
    const { url } = await serve((_request, response) => {
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        while (!seen.isClosed && response.write(chunk)) sentBytes += chunk.byteLength;
      };
      response.on('drain', more).on('close', () => (seen.isClosed = true));
      more();
    });
    await expect(send(url)).rejects.toMatchObject(tooLarge);
    await until(() => seen.isClosed);
    expect(sentBytes).toBeLessThan(20_000_000);
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(64_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(64_000_000), { params: { 1: 1 } })],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(64_000_000)))],
  ])('is found before a bomb is unpacked: %s', async (encoding, bomb) => {
    const { url } = await serve((_request, response) => response.setHeader('content-encoding', encoding).end(bomb));
    const before = process.memoryUsage().arrayBuffers;
    await expect(send(url)).rejects.toMatchObject(tooLarge);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
  });

  it('is one byte too many, not one fewer', async () => {
    const { url } = await serve((_request, response) => response.end('12345'));
    expect(await textOf(url, { maxResponseBytes: 5 })).toBe('12345');
    await expect(send(url, { maxResponseBytes: 4 })).rejects.toMatchObject(tooLarge);
  });
});

describe('a request that is aborted', () => {
  it.each([
    ['before the headers', () => undefined],
    ['in the middle of the body', (response: { write(text: string): unknown }) => response.write('a')],
  ])('ends a request that nobody answers: %s', async (_moment, begin) => {
    const abort = new AbortController();
    const seen = { isClosed: false };
    const { url } = await serve((_request, response) => {
      response.on('close', () => (seen.isClosed = true));
      begin(response);
      setTimeout(() => abort.abort(), 20);
    });
    await expect(send(url, { signal: abort.signal })).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED' });
    await until(() => seen.isClosed);
  });

  it('while it waits for a connection ends at once, and is not sent later', async () => {
    const held: ServerResponse[] = [];
    const { url } = await serve((_request, response) => void held.push(response));
    const holding = Array.from({ length: 64 }, () => send(url));
    await until(() => held.length === 64);
    await expect(send(url, { signal: AbortSignal.timeout(10) })).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED' });
    expect(held).toHaveLength(64);
    for (const response of held) response.end();
    await Promise.all(holding);
    // A request that was sent after them gets a response; the aborted one was never seen.
    const last = send(url);
    await until(() => held.length > 64);
    held.slice(64).forEach((response) => response.end());
    await last;
    expect(held.length).toBe(65);
  });

  it('before it began is not sent', async () => {
    let hits = 0;
    const { url } = await serve((_request, response) => {
      hits += 1;
      response.end();
    });
    await expect(send(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED' });
    expect(hits).toBe(0);
  });
});

describe('a kept connection that the server ends as the next request comes', () => {
  /** Serves one request of each connection, which has its number as the response, and ends the connection then. */
  async function serveOnePerConnection(end: (socket: Socket, response: ServerResponse) => void) {
    const used = new WeakSet<Socket>();
    const received: string[] = [];
    const { url } = await serve((request, response) => {
      received.push(request.method ?? '');
      if (used.has(request.socket)) end(request.socket, response);
      else response.end(String(received.length));
      used.add(request.socket);
    });
    return { url, received };
  }
  /** Opens a connection. undici gives it to the next request in a later turn of the event loop. */
  async function keepConnection(url: string): Promise<void> {
    await textOf(url);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const post = { method: 'POST', body: 'sent' } as const;

  it.each([
    ['closes', (socket: Socket) => socket.destroy()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('has its request sent again on a new one, if that may be: a server that %s it', async (_how, end) => {
    const { url, received } = await serveOnePerConnection(end);
    await keepConnection(url);
    expect(await textOf(url, { ...post, isRepeatable: true })).toBe('3');
    expect(received).toEqual(['GET', 'POST', 'POST']);
  });

  it.each(['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])('has it sent again by its method: %s', async (method) => {
    const { url, received } = await serveOnePerConnection((socket) => socket.destroy());
    await keepConnection(url);
    const body = method === 'PUT' ? 'sent' : undefined;
    expect((await send(url, { method, body })).status).toBe(200);
    expect(received).toEqual(['GET', method, method]);
  });

  it('fails a request that the server may not get twice', async () => {
    const { url, received } = await serveOnePerConnection((socket) => socket.destroy());
    await keepConnection(url);
    await expect(send(url, post)).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED' });
    expect(received).toEqual(['GET', 'POST']);
  });

  it('has none sent again whose response had begun', async () => {
    const { url, received } = await serveOnePerConnection((socket, response) => {
      response.setHeader('content-length', '100').write('half', () => socket.destroy());
    });
    await keepConnection(url);
    await expect(send(url, { ...post, isRepeatable: true })).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED' });
    expect(received).toEqual(['GET', 'POST']);
  });

  it('has none sent again whose connection was new', async () => {
    let count = 0;
    const { url } = await serve((request) => {
      count += 1;
      request.socket.destroy();
    });
    await expect(send(url, { ...post, isRepeatable: true })).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED' });
    expect(count).toBe(1);
  });
});

describe('a request without an answer', () => {
  it('names where it went, without the query, and may be tried again', async () => {
    const { url, stop } = await serve(() => undefined);
    await stop();
    await expect(send(`${url}/a/b?token=secret`)).rejects.toMatchObject({
      code: 'HTTP_REQUEST_FAILED',
      isRetryable: true,
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/a\/b: .*ECONNREFUSED/),
    });
  });

  it('that was cut off fails', async () => {
    const { url } = await serve((request, response) => {
      response.setHeader('content-length', '100').write('half');
      setTimeout(() => request.socket.destroy(), 10);
    });
    await expect(send(url)).rejects.toMatchObject({ code: 'HTTP_REQUEST_FAILED', isRetryable: true });
  });
});
