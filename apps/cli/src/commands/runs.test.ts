import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { createProgram } from '../program.ts';

let server: Server;
let url: string;
const received: unknown[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push([`${request.method} ${request.url}`, JSON.parse(body)]);
      response.writeHead(202, { 'content-type': 'application/json' }).end('{"executionId":"new"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  url = `http://127.0.0.1:${address.port}`;
});
afterAll(() => {
  server.close();
});

it.each([
  [['--failed-iterations'], { iterations: 'failed' }],
  [['--from-node', 'charge', '--failed-iterations'], { fromNodeId: 'charge', iterations: 'failed' }],
  [['--until-node', 'charge', '--workflow-version', 'active'], { untilNodeId: 'charge', version: 'active' }],
  [[], {}],
])('runs rerun %j asks for %j', async (options, body) => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const environment = { url, apiKey: 'dk_test', workspace: undefined, profile: undefined, profilesPath: '/nowhere' };
  await createProgram(environment).parseAsync(['runs', 'rerun', 'old', ...options], { from: 'user' });
  expect(received.splice(0)).toEqual([['POST /api/executions/old/rerun', body]]);
  expect(write).toHaveBeenCalledWith('new\n');
  write.mockRestore();
});
