import { afterEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { limitRequestTime, readPaced } from './request-time.ts';

const LIMIT_MS = 300;
let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function open(listener: RequestListener): Promise<Socket> {
  server = createServer({ requestTimeout: 0 }, listener);
  limitRequestTime(server, LIMIT_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n');
  return socket;
}

/** Sends a piece of a body every 10 ms until it receives something. @returns all that it receives. */
async function drip(socket: Socket, piece: Uint8Array): Promise<string> {
  let isAnswered = false;
  socket.once('data', () => (isAnswered = true));
  const received = text(socket);
  // What has arrived is read first: a byte that is sent to a closed connection may discard the response.
  const timer = setInterval(() => setImmediate(() => !isAnswered && socket.writable && socket.write(piece)), 10);
  return received.catch(() => '').finally(() => clearInterval(timer));
}

it('an upload that is fast enough may take longer than any other request', async () => {
  const socket = await open((request, response) => {
    void (async () => {
      const begunAt = performance.now();
      let bytes = 0;
      for await (const chunk of readPaced(request)) {
        bytes += chunk.byteLength;
        if (performance.now() - begunAt > 2 * LIMIT_MS) break;
      }
      response.writeHead(201, { connection: 'close' }).end(`stored ${bytes > 100_000}`);
    })();
  });
  expect(await drip(socket, Buffer.alloc(10_000))).toMatch(/^HTTP\/1\.1 201 [^]*stored true/);
});

it.each<[string, number, RequestListener]>([
  ['is read', 408, (request) => void text(readPaced(request)).catch(() => undefined)],
  ['is read as any other body', 408, (request) => void text(request).catch(() => undefined)],
  ['is not read', 408, () => undefined],
  ['is refused', 413, (request, response) => void response.writeHead(413).end(() => request.resume())],
])('a body that trickles in ends, with a 408 unless it has a response: it %s (%i)', async (_how, status, listener) => {
  const received = await drip(await open(listener), Buffer.alloc(1));
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});
