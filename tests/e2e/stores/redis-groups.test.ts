import { parseOwnJson } from '@deckhand/contracts';
import { createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startProcess } from '@deckhand/local';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryPath } from '../../harness/deployment/repository-file.ts';
import { startCluster, startSentinelGroup } from '../../harness/redis-groups.ts';
import {
  chain,
  createTestDatabase,
  OWNER,
  SETUP,
  runOps,
  spawnApp,
  startReceiver,
  stopAll,
  stopLater,
  TEST_ENCRYPTION_KEY,
  type TestApp,
  until,
  type ResponseBody,
} from '../../harness/index.ts';

let databaseUrl: string;
let db: Database;

beforeAll(async () => {
  databaseUrl = (await createTestDatabase()).url;
  db = createDatabase({ url: databaseUrl, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

/** A caller of the API, and a workflow of two calls with a pure node between. */
interface Caller {
  readonly workflowId: string;
  /** Starts a run. @returns the status of the response, and the run's id. */
  start(): Promise<{ status: number; executionId: string }>;
}

async function signUp({ url }: TestApp, receiverUrl: string): Promise<Caller> {
  const send = async <Path extends string>(path: Path, body: object, token = '') => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: parseOwnJson<ResponseBody<'POST', Path>>(await response.text()) };
  };
  const isSetUp = (await db.user.count()) > 0;
  const { body: session } = await (isSetUp
    ? send('/api/auth/login', { email: OWNER.email, password: OWNER.password })
    : send('/api/auth/setup', SETUP));
  const { id: workspaceId } = await db.workspace.findFirstOrThrow();
  const call = (id: string) => ({ id, type: 'http', parameters: { url: `${receiverUrl}/${id}` } });
  const definition = chain(call('a'), { id: 'b', type: 'set', parameters: { fields: { ok: true } } }, call('c'));
  const { body } = await send('/api/workflows', { workspaceId, name: 'Calls', definition }, session.token);
  return {
    workflowId: body.id,
    async start() {
      const answer = await send(`/api/workflows/${body.id}/execute`, {}, session.token);
      return { status: answer.status, executionId: answer.body.executionId };
    },
  };
}

const statusesOf = async (executionIds: readonly string[]): Promise<Record<string, number>> => {
  const rows = await db.execution.groupBy({
    by: ['status'],
    where: { id: { in: [...executionIds] } },
    _count: true,
  });
  return Object.fromEntries(rows.map(({ status, _count }) => [status, _count]));
};

describe('Redis behind sentinels', () => {
  it('loses its master under load: every run that was accepted ends once, and new ones are taken again', async () => {
    const group = await startSentinelGroup();
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: group.url };
    const api = await spawnApp('api', env);
    const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
    const receiver = await startReceiver(() => 30);
    const caller = await signUp(api, receiver.url);

    const [first, second] = group.members;
    expect(await group.masterPort()).toBe(first!.port);
    const accepted: string[] = [];
    let refused = 0;
    const load = { isOver: false };
    const callers = Array.from({ length: 4 }, async () => {
      while (!load.isOver) {
        const { status, executionId } = await caller.start();
        if (status === 202) accepted.push(executionId);
        else refused += 1;
      }
    });
    await until(() => accepted.length >= 20, 'the first runs');
    const killedAt = Date.now();
    await first!.process.kill('SIGKILL');
    await until(async () => (await group.masterPort()) === second!.port, 'another master');
    const failedOverMs = Date.now() - killedAt;
    const before = accepted.length;
    await until(() => accepted.length >= before + 20, 'runs that are taken again');
    const takenAgainMs = Date.now() - killedAt;
    load.isOver = true;
    await Promise.all(callers);

    await until(async () => (await statusesOf(accepted)).success === accepted.length, 'the end of all runs');
    const keys = receiver.calls.map(({ idempotencyKey }) => idempotencyKey);
    // Each node of each run was called; repeated, with the same key, only where a worker's heartbeat was lost for too
    // long.
    expect(new Set(keys).size).toBeGreaterThanOrEqual(2 * accepted.length);
    const repeated = keys.length - new Set(keys).size;
    process.stdout.write(
      `${accepted.length} runs accepted, ${refused} refused; another master after ${failedOverMs} ms, ` +
        `runs taken again after ${takenAgainMs} ms; calls repeated: ${repeated}\n`,
    );
    // One worker is enough to end all runs; the other may still be on its way back.
    const isWhole = async () => {
      const { stdout } = await runOps(['fleet', '--json'], env);
      const { live, consuming } = JSON.parse(stdout) as { live: number; consuming: number };
      return live === 2 && consuming === 2;
    };
    await until(isWhole, 'a fleet of two');
    for (const app of [...workers, api]) {
      await app.stop();
      expect(await app.ended).toBe('code 0');
    }
  });
});

describe('a Redis Cluster', () => {
  it('carries runs from the API to workers and back, and what people ask of them', async () => {
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: await startCluster() };
    const api = await spawnApp('api', env);
    const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
    const receiver = await startReceiver((path) => (path === '/c' ? 30 : 0));
    const caller = await signUp(api, receiver.url);
    const started = await Promise.all(Array.from({ length: 60 }, () => caller.start()));
    expect(started.map(({ status }) => status)).toEqual(started.map(() => 202));
    const ids = started.map(({ executionId }) => executionId);
    await until(async () => (await statusesOf(ids)).success === ids.length, 'the end of all runs');
    expect(receiver.calls).toHaveLength(2 * ids.length);
    const fleet = await runOps(['fleet', '--json'], env);
    const { workers: rows } = JSON.parse(fleet.stdout) as { workers: { id: string; pid: number }[] };
    const { id } = rows.find(({ pid }) => pid === workers[0]!.pid)!;
    expect((await runOps(['drain', id, '--yes'], env)).exitCode).toBe(0);
    expect(await workers[0]!.ended).toBe('code 0');
    for (const app of [workers[1]!, api]) {
      await app.stop();
      expect(await app.ended).toBe('code 0');
    }
  });
});

describe('a REDIS_URL that cannot be used', () => {
  it.each(['api', 'worker'])(
    'stops the start of the %s with its name, and without the password',
    async (app) => {
      const folder = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
      const started = await startProcess({
        name: app,
        command: process.execPath,
        args: [repositoryPath(`apps/${app}/src/main.ts`)],
        env: {
          DATABASE_URL: databaseUrl,
          REDIS_URL: 'redis+sentinel://:hunter2@a:1,b:2',
          ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
          PORT: '0',
        },
        logPath: join(folder, 'log'),
      });
      stopLater(started);
      expect(await started.ended).toBe('code 1');
      expect(started.output()).toMatch(/Bad settings: REDIS_URL lacks the name/);
      expect(started.output()).not.toContain('hunter2');
    },
    30_000,
  );
});
