import type { Server } from 'node:http';

/** How often connections that fell idle are closed, in ms. */
const SWEEP_MS = 50;

/**
 * Takes no more connections and resolves once every request under way has its answer. Kept connections are closed as
 * they fall idle; one that goes on asking is answered once more and told to close.
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
