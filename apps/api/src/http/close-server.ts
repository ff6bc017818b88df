import type { Server } from 'node:http';

/** How often idle connections are closed, in ms. */
const SWEEP_MS = 50;

/**
 * Stops accepting connections and resolves once every request in progress has its response. Idle connections are
 * closed. A connection that sends another request gets its response with `Connection: close`.
 */
export async function closeServer(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.setHeader('Connection', 'close');
  });
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, SWEEP_MS);
  try {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  } finally {
    clearInterval(sweep);
  }
}
