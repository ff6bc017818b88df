import { createServer } from 'node:http';

/** A server that responds with `{}` to every request, after a delay (ms). */
export async function startSlowServer(answersAfterMs: number): Promise<{ url: string; close: () => void }> {
  const server = createServer((_, response) => setTimeout(() => response.end('{}'), answersAfterMs));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
