import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closeServer } from './close-server.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterEach(() => agent.destroy());

function ask(port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent }, resolve).on('error', reject);
  });
}

describe('closing a server', () => {
  it('answers the requests in progress and then closes idle connections', async () => {
    const held: ServerResponse[] = [];
    let onRequest: () => void = () => undefined;
    const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
      held.push(response);
      onRequest();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');

    const arrived = new Promise<void>((resolve) => (onRequest = resolve));
    const asked = ask(address.port);
    await arrived;
    const closed = closeServer(server);
    held[0]?.end('done');
    const answer = await asked;
    expect([answer.statusCode, await text(answer)]).toEqual([200, 'done']);
    await closed;
    await expect(ask(address.port)).rejects.toThrow();
  });
});
