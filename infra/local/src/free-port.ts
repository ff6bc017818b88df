import { createServer } from 'node:net';

/** How many ports above the wanted one to try before taking any free one. */
const REACH = 50;

/** Whether nothing listens on `port`, on the loopback address or on all of them. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port));
}

/**
 * A port that is free now. Somebody else may take it before it is used, so use it at once.
 * @param near where to begin looking; without it, the system picks one.
 */
export async function freePort(near?: number): Promise<number> {
  if (near !== undefined) {
    for (let port = near; port < near + REACH && port < 65_536; port += 1) {
      if (await isPortFree(port)) return port;
    }
  }
  return systemPort();
}

function canListen(port: number, host?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function systemPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('the system offers no free port'));
        else resolve(address.port);
      });
    });
  });
}
