import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  chain,
  createTestDatabase,
  OWNER,
  SETUP,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  type TestApp,
} from '../../harness/index.ts';

let replicas: readonly [TestApp, TestApp];
let key = '';

async function send(path: string, body: object, headers: Record<string, string>, method = 'POST'): Promise<string> {
  const answer = await fetch(`${replicas[0].url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
const find = (text: string, name: string): string => new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1] ?? '';

beforeAll(async () => {
  const [database, redis] = [await createTestDatabase(), await startTestRedis()];
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  replicas = [await spawnApp('api', env), await spawnApp('api', env)];
  await spawnApp('worker', env);
  const session = find(await send('/api/auth/setup', SETUP, {}), 'token');
  const bearer = { authorization: `Bearer ${session}` };
  const body = { name: 'agent', password: OWNER.password, preset: 'full' };
  key = find(await send('/api/api-keys', body, bearer), 'key');
  const me = await (await fetch(`${replicas[0].url}/api/auth/me`, { headers: bearer })).text();
  const { nodes, edges } = chain(
    { id: 'ask', type: 'approval', parameters: { message: 'Refund {{ $trigger.order }}?' } },
    { id: 'end', type: 'terminal', parameters: { body: 'order {{ $trigger.order }} is refunded' } },
  );
  const [first, second] = edges;
  const settings = { mcp: { name: 'refund' } };
  const definition = { nodes, edges: [first, { ...second, sourceHandle: 'approved' }], settings };
  const workflow = { workspaceId: find(me, 'workspaceId'), name: 'Refund', definition };
  const id = find(await send('/api/workflows', workflow, bearer), 'id');
  await send(`/api/workflows/${id}`, { status: 'active' }, bearer, 'PATCH');
});
afterAll(stopAll);

it('a client whose messages go to any replica calls a workflow, decides on its approval, and gets its result', async () => {
  const urls: string[] = [];
  const client = new Client(
    { name: 'agent', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { decision: 'approved' } }));
  const transport = new StreamableHTTPClientTransport(new URL(`${replicas[0].url}/mcp`), {
    requestInit: { headers: { 'x-api-key': key } },
    fetch(_url, init) {
      const replica = replicas[urls.length % 2 === 0 ? 0 : 1];
      urls.push(replica.url);
      return fetch(`${replica.url}/mcp`, init);
    },
  });
  stopLater({ stop: () => client.close() });
  await client.connect(transport);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('refund');
  expect(await client.callTool({ name: 'refund', arguments: { order: 7 } })).toMatchObject({
    structuredContent: { status: 'success', result: 'order 7 is refunded' },
  });
  expect(new Set(urls).size).toBe(2);
});
