import { type ExecuteBatchResponse, parseOwnJson } from '@deckhand/contracts';
import { createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  chain,
  createRandom,
  createTestDatabase,
  OWNER,
  SETUP,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  type TestApp,
  until,
} from '../../harness/index.ts';

const ITEMS = 1_000;
const KILLS = 4;
const MAX_DELAY_MS = 150;

let env: Record<string, string>;
let db: Database;

beforeAll(async () => {
  const [database, redis] = [await createTestDatabase(), await startTestRedis()];
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

async function post<T>(api: TestApp, path: string, headers: Record<string, string>, body: unknown): Promise<T> {
  const response = await fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return parseOwnJson<T>(await response.text());
}

describe('a batch whose API is killed in the middle, again and again', () => {
  it('has one run for each key once it is repeated, and all of them are run', async () => {
    let api = await spawnApp('api', env);
    const { token } = await post<{ token: string }>(api, '/api/auth/setup', {}, SETUP);
    const session = { authorization: `Bearer ${token}` };
    const { key } = await post<{ key: string }>(api, '/api/api-keys', session, {
      name: 'batch',
      password: OWNER.password,
      preset: 'full',
      saveAsCredential: false,
    });
    const { id: workspaceId } = await db.workspace.findFirstOrThrow();
    const definition = chain({ id: 'a', type: 'set', parameters: { fields: { n: '{{ $trigger.n }}' } } });
    const as = { 'x-api-key': key };
    const body = { workspaceId, name: 'W', definition };
    const { id: workflowId } = await post<{ id: string }>(api, '/api/workflows', as, body);
    const items = Array.from({ length: ITEMS }, (_, n) => ({ input: { n }, idempotencyKey: `key-${n}` }));
    const send = () => post<ExecuteBatchResponse>(api, `/api/workflows/${workflowId}/execute/batch`, as, items);
    const runs = () => db.execution.count({ where: { workflowId } });
    const random = createRandom();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const lost = send().catch(() => undefined);
      const before = await runs();
      if (before < ITEMS) await until(async () => (await runs()) > before, 'runs of the batch');
      else await sleep(random() * MAX_DELAY_MS);
      await api.kill('SIGKILL');
      await lost;
      api = await spawnApp('api', env);
    }
    const { accepted, items: results } = await send();
    expect(accepted).toBe(ITEMS);
    const worker = await spawnApp('worker', env);
    const succeeded = () => db.execution.findMany({ where: { workflowId, status: 'success' }, select: { id: true } });
    await until(async () => (await succeeded()).length === ITEMS, 'all runs');
    expect(await runs()).toBe(ITEMS);
    const named = results.map(({ executionId = '' }) => executionId);
    expect((await succeeded()).map(({ id }) => id).sort()).toEqual(named.sort());
    await worker.stop();
    await api.stop();
  });
});
