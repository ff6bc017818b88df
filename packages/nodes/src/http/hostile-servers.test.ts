import { afterAll, describe, expect, it } from '@jest/globals';
import { createServer, type Socket } from 'node:net';
import { stopAll, stopLater } from '../../../../tests/harness/cleanup.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import { until } from '../../../../tests/harness/until.ts';
import { createHttpClient } from './client.ts';

const client = createHttpClient({ allowPrivate: true });
stopLater({ stop: () => client.close() });
afterAll(stopAll);

const MAX_BYTES = 1_000_000;

const get = (url: string, signal = AbortSignal.timeout(5_000)) =>
  client.request({
    method: 'GET',
    url,
    headers: {},
    body: undefined,
    followRedirects: true,
    maxResponseBytes: MAX_BYTES,
    signal,
  });

/** Starts a server that sends given bytes, which need not be HTTP, in response to the first data of a connection. */
async function serveBytes(answer: (socket: Socket) => void): Promise<{ url: string; connections: () => number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}/`, connections: () => sockets.size };
}

const send =
  (...parts: string[]) =>
  (socket: Socket): void =>
    void socket.write(parts.join(''), 'latin1');

/** Writes a beginning, and then repeats a text as long as the other side reads it. */
const sendForever =
  (beginning: string, text: string) =>
  (socket: Socket): void => {
    socket.write(beginning, 'latin1');
    const bytes = Buffer.from(text.repeat(Math.ceil(16_384 / text.length)), 'latin1');
    const more = (): void => {
      while (socket.writable && socket.write(bytes));
    };
    socket.on('drain', more);
    more();
  };

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const FAILED = 'HTTP_REQUEST_FAILED';

/** The bytes of a server, and the code of the resulting failure. */
const ATTACKS: readonly [string, (socket: Socket) => void, string][] = [
  ['no HTTP at all', send('SSH-2.0-OpenSSH_9.2\r\n'), FAILED],
  ['a status that is none', send('HTTP/1.1 9999 What\r\n\r\n'), FAILED],
  ['an endless header', sendForever(`${OK}a: `, 'x'), FAILED],
  ['endless headers', sendForever(OK, 'a: b\r\n'), FAILED],
  ['a zero byte in a header', send(OK, 'a: b\0c\r\n\r\n'), FAILED],
  ['another protocol', send('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'), FAILED],
  ['two lengths', send(OK, 'content-length: 1\r\ncontent-length: 2\r\n\r\nab'), FAILED],
  ['a negative length', send(OK, 'content-length: -1\r\n\r\nab'), FAILED],
  ['a length beyond all numbers', send(OK, `content-length: ${'9'.repeat(40)}\r\n\r\nab`), FAILED],
  ['less than its length says', (socket) => void socket.end(`${OK}content-length: 100\r\n\r\nab`), FAILED],
  ['an endless body', sendForever(`${OK}\r\n`, 'x'), 'RESPONSE_TOO_LARGE'],
  [
    'an endless body under a small length',
    sendForever(`${OK}content-length: 5\r\nconnection: close\r\n\r\n`, 'x'),
    'none',
  ],
  ['endless chunks of one byte', sendForever(CHUNKED, '1\r\nx\r\n'), 'RESPONSE_TOO_LARGE'],
  ['a chunk without an end', sendForever(`${CHUNKED}FFFFFFFF\r\n`, 'x'), 'RESPONSE_TOO_LARGE'],
  ['a chunk whose length is none', send(CHUNKED, 'xyz\r\n'), FAILED],
  ['a chunk whose length is beyond all numbers', send(CHUNKED, 'F'.repeat(40), '\r\n'), FAILED],
  ['endless trailers', sendForever(`${CHUNKED}0\r\n`, 'a: b\r\n'), FAILED],
  [
    'a broken compression',
    send(OK, 'connection: close\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc'),
    FAILED,
  ],
  [
    'a hundred compressions',
    send(OK, `content-encoding: ${'gzip,'.repeat(100)}gzip\r\nconnection: close\r\ncontent-length: 1\r\n\r\na`),
    'HTTP_RESPONSE_INVALID',
  ],
  [
    'redirects to itself',
    send('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    FAILED,
  ],
  ['a redirect with an endless body', sendForever('HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n', 'x'), FAILED],
  ['a reset connection', (socket) => void socket.resetAndDestroy(), FAILED],
  [
    'half a header, and a reset',
    (socket) => {
      socket.write(OK);
      setImmediate(() => socket.resetAndDestroy());
    },
    FAILED,
  ],
];

describe('a server that sends', () => {
  it.each(ATTACKS)('%s ends its request, and nothing else', async (_what, answer, code) => {
    const { url, connections } = await serveBytes(answer);
    const before = process.memoryUsage().rss;
    const result: unknown = await get(url).catch((caught: unknown) => caught);
    expect(result).toMatchObject(code === 'none' ? { status: 200 } : { code });
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    await until(() => connections() === 0, 'the end of the connection');
    const honest = await serve((_request, response) => response.end('there'));
    expect(Buffer.from((await get(honest.url)).body).toString()).toBe('there');
  });

  it('a second answer that nobody asked for is not taken for that of the next request', async () => {
    const body = (text: string): string => `${OK}content-length: ${text.length}\r\n\r\n${text}`;
    const { url } = await serveBytes(send(body('first'), body('forged')));
    expect(Buffer.from((await get(url)).body).toString()).toBe('first');
    // The connection with remaining data is not reused: the server accepts a new one.
    expect(Buffer.from((await get(url)).body).toString()).toBe('first');
  });

  it.each([
    ['nothing', () => undefined],
    ['one byte of a header', send(`${OK}a`)],
    ['a part of a body', send(`${OK}content-length: 100\r\n\r\na`)],
    ['a part of a redirect', send('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 100\r\n\r\na')],
    ['an endless status line', sendForever('HTTP/1.1 200 ', 'x')],
    ['endless interim answers', sendForever('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('%s, and no more, holds its request no longer than its time', async (_what, answer) => {
    const { url, connections } = await serveBytes(answer);
    await expect(get(url, AbortSignal.timeout(200))).rejects.toMatchObject({ code: FAILED });
    await until(() => connections() === 0, 'the end of the connection');
  });
});
