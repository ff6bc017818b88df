import { createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  runOps,
  seedWorkflow,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
} from '../../harness/index.ts';

let env: { DATABASE_URL: string; REDIS_URL: string };
let db: Database;

beforeAll(async () => {
  const database = await createTestDatabase();
  env = { DATABASE_URL: database.url, REDIS_URL: (await startTestRedis()).url };
  db = createDatabase({ url: database.url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

async function answer(...args: string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await runOps([...args, '--json'], env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('an operator who reads the state', () => {
  it('sees what waits while no worker is there', async () => {
    const seed = await seedWorkflow(db, chain({ id: 'a', type: 'wait', parameters: { seconds: 600 } }));
    await seed.accept();
    await seed.accept();
    expect(await answer('queue')).toMatchObject({
      jobs: { waiting: 0, active: 0 },
      runs: { pending: 2, running: 0, paused: 0, waiting_for_input: 0, waiting_for_human: 0 },
    });
    expect(await answer('fleet')).toEqual({ live: 0, consuming: 0, workers: [] });
    const forPeople = await runOps(['queue'], env);
    expect(forPeople.stdout).toMatch(/pending +2\n/);
  });

  it('sees a worker that runs name and nobody has heard of', async () => {
    const ghost = uuidv7();
    const seed = await seedWorkflow(db, chain({ id: 'a', type: 'wait', parameters: { seconds: 600 } }));
    const data = { workerId: ghost, status: 'running', claimedDispatch: 1 } as const;
    await db.execution.update({ where: { id: await seed.accept() }, data });
    expect(await answer('fleet')).toMatchObject({ live: 0, workers: [{ id: ghost, state: 'unknown', held: 1 }] });
  });

  it('sees a worker that takes jobs', async () => {
    const worker = await spawnApp('worker', env);
    expect(await answer('fleet')).toMatchObject({
      live: 1,
      consuming: 1,
      workers: expect.arrayContaining([expect.objectContaining({ pid: worker.pid, state: 'consuming' })]),
    });
    await worker.stop();
  });
});

describe('an operator with a wrong command', () => {
  it.each([
    ['no command', [], /Commands:/],
    ['an option that there is not', ['stop', '--foo'], /unknown option '--foo'[^]*See --help/],
    ['a status that there is not', ['stop', '--status', 'done'], /must be one of pending, running/],
    ['an id that is none', ['requeue', '--workspace', 'home'], /--workspace <id>[^]*must be a UUID/],
    ['a time without its offset', ['stop', '--created-to', '2026-11-21'], /ISO 8601/],
    ['a span without a unit', ['stop', '--older-than', '30'], /30m/],
    ['no runs in particular', ['stop'], /--all/],
    ['all runs and some', ['stop', '--all', '--status', 'pending'], /--all selects every run/],
    ['for a worker that there is not', ['drain', 'nobody:1'], /No live worker matches nobody:1/],
  ])('with %s fails with a message, and nothing is done', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await runOps(args, env);
    expect(stderr).toMatch(message);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });

  it('learns which setting is missing or invalid, and which store is down, without passwords', async () => {
    const bad = await runOps(['fleet'], { DATABASE_URL: 'mysql://root:hunter2@db/x' });
    expect(bad).toMatchObject({ exitCode: 2, stdout: '' });
    expect(bad.stderr).toMatch(/DATABASE_URL.*REDIS_URL|REDIS_URL.*DATABASE_URL/);
    const noRedis = await runOps(['fleet'], { ...env, REDIS_URL: 'redis://:hunter2@127.0.0.1:1' });
    expect(noRedis).toMatchObject({ exitCode: 1, stdout: '' });
    expect(noRedis.stderr).toMatch(/^Redis \(REDIS_URL\) cannot be reached/);
    const noDatabase = await runOps(['queue'], { ...env, DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:1/x' });
    expect(noDatabase).toMatchObject({ exitCode: 1, stdout: '' });
    expect(noDatabase.stderr).toMatch(/^PostgreSQL \(DATABASE_URL\) cannot be reached/);
    for (const { stderr } of [bad, noRedis, noDatabase]) expect(stderr).not.toContain('hunter2');
  });

  it('finds help for every command', async () => {
    for (const command of ['fleet', 'queue', 'drain', 'requeue', 'stop', 'rotate-keys']) {
      const { exitCode, stdout } = await runOps([command, '--help'], {});
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(`Usage: ops ${command}`) });
    }
  });
});
