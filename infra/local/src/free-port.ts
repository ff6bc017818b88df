import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import getPort, { portNumbers } from 'get-port';

/** Number of ports after the first one to try before any free port is taken. */
const REACH = 50;
/**
 * Ports of which one is chosen if none is wanted. Systems give outgoing connections higher ones (Linux from 32,768,
 * others from 49,152), which would take the port before the server listens, or while it restarts.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;

/** Returns true if nothing listens on `port`, on the loopback address or on all addresses. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port));
}

/**
 * Returns a free port, which this process is not given again for the next 15 seconds. Another process may take it
 * before it is used.
 * @param near the port to try first; without it, one is chosen at random.
 */
export function freePort(near = randomInt(LOWEST_PORT, HIGHEST_PORT)): Promise<number> {
  return getPort({ port: portNumbers(near, Math.min(near + REACH, 65_535)) });
}

function canListen(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
