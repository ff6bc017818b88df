import { createServer } from 'node:http';

/** A receiver of events in a process of its own, so that its CPU time is not counted as Deckhand's. */
const seen = new Set<string>();
const server = createServer((request, response) => {
  seen.add(String(request.headers['webhook-id']));
  request.resume();
  response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? (address?.port ?? 0) : 0 });
});
process.on('message', () => process.send?.({ received: seen.size }));
process.on('disconnect', () => process.exit());
