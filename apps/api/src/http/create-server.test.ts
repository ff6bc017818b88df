import { expect, it } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import { createHttpServer } from './create-server.ts';

it('makes requests and answers with the prototypes that Express would give them', async () => {
  const app = express();
  app.get('/', (request, response) => void response.send(request.get('x-name')));
  const server = createHttpServer(app);
  const made: unknown[] = [];
  server.prependListener('request', (request, response) => {
    made.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-name': 'Ada' } });
  const text = await answer.text();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(text).toBe('Ada');
  expect(made[0]).toBe(app.request);
  expect(made[1]).toBe(app.response);
});
