import { createServer } from 'node:http';
import { freePort } from '../free-port.ts';

/** Receives requests of the samples, so that they need no other server. */
export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Listens on the loopback address, near `port`; responds to every request with `{ "received": <number of requests> }`.
 */
export async function startReceiver(port: number): Promise<Receiver> {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      received += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ received }));
    });
  });
  const chosen = await freePort(port);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(chosen, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${chosen}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
