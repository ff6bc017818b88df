import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { stopLater } from './cleanup.ts';

/** An HTTP server of a test's own, on 127.0.0.1. */
export interface Served {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** A received request. */
export interface Echo {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Serves on a free port until the test file ends. */
export async function serve(listener: RequestListener): Promise<Served> {
  // Clients close idle connections before: what is sent while a server closes one fails, as it would in production.
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return stopLater({
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    stop() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

/** Reads a request to its end. */
export async function echoOf(request: IncomingMessage): Promise<Echo> {
  const { method = '', url = '', headers } = request;
  return { method, path: url, headers, body: await text(request) };
}
