import { createServer } from 'node:net';
import getPort, { portNumbers } from 'get-port';

/** Number of ports after the wanted one to try before any free port is taken. */
const REACH = 50;

/** Returns true if nothing listens on `port`, on the loopback address or on all addresses. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port));
}

/**
 * Returns a free port, which this process is not given again for the next 15 seconds. Another process may take it
 * before it is used.
 * @param near the port to try first; without it, the system chooses.
 */
export function freePort(near?: number): Promise<number> {
  return getPort(near === undefined ? {} : { port: portNumbers(near, Math.min(near + REACH, 65_535)) });
}

function canListen(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
