import { applyMigrations, createDatabase, type Database, findMissingSessionLimits, SESSION_LIMITS } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  expectWithin,
  itInTime,
  promised,
  startTcpProxy,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

let url: string;
let db: Database;

beforeAll(async () => {
  ({ url } = await createTestDatabase());
  // Settings of a role are not cloned with a database. Here they come from the migrations, as in production.
  await applyMigrations({ databaseUrl: url });
  db = open(url);
});
afterAll(stopAll);

function open(databaseUrl: string, more: { silentAfterMs?: number } = {}): Database {
  const opened = createDatabase({ url: databaseUrl, poolSize: 2, ...more });
  stopLater({ stop: () => opened.$disconnect() });
  return opened;
}

const inForce = async (): Promise<Record<string, number>> => {
  const rows = await open(url).$queryRaw<{ name: string; setting: string }[]>`
    SELECT name, setting FROM pg_settings WHERE name = ANY (${Object.keys(SESSION_LIMITS)})`;
  return Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
};

describe('the limits of sessions', () => {
  it('come with the migrations and count for every session of the role', async () => {
    expect(await inForce()).toEqual(SESSION_LIMITS);
    expect(await findMissingSessionLimits(db)).toEqual([]);
  });

  it('that an operator has set are kept, and reported with their remedy where they are too long', async () => {
    const database = new URL(url).pathname.slice(1);
    await db.$executeRawUnsafe(`ALTER ROLE CURRENT_USER IN DATABASE ${database} SET statement_timeout = '5min'`);
    await applyMigrations({ databaseUrl: url });
    expect(await inForce()).toMatchObject({ statement_timeout: 300_000 });
    const [fix = ''] = await findMissingSessionLimits(open(url));
    expect(fix).toContain('SET statement_timeout = 14000');
    await db.$executeRawUnsafe(fix);
    expect(await inForce()).toEqual(SESSION_LIMITS);
  });
});

describe('a process that is cut off in the middle of a transaction', () => {
  itInTime('holds its locks for seconds only', async () => {
    await db.$executeRaw`CREATE TABLE IF NOT EXISTS things (id int PRIMARY KEY)`;
    await db.$executeRaw`INSERT INTO things VALUES (1) ON CONFLICT DO NOTHING`;
    const proxy = await startTcpProxy(url);
    const cutOff = open(proxy.url, { silentAfterMs: 1_000 });
    let isLocked = false;
    const lost = cutOff.$transaction(
      async (tx) => {
        await tx.$executeRaw`UPDATE things SET id = id WHERE id = 1`;
        proxy.silence();
        isLocked = true;
        await tx.$executeRaw`UPDATE things SET id = id WHERE id = 1`;
      },
      { timeout: 60_000 },
    );
    const outcome = lost.then(
      () => 'done',
      () => 'failed',
    );
    await until(() => isLocked);
    const since = performance.now();
    // It waits at most `lock_timeout` for the lock.
    expect(await db.$executeRaw`UPDATE things SET id = id WHERE id = 1`).toBe(1);
    const waited = performance.now() - since;
    expect(await outcome).toBe('failed');
    expectWithin(promised('a process freezes or is disconnected during a transaction'), waited);
  });

  itInTime('cancels the statement that it gave up', async () => {
    const proxy = await startTcpProxy(url);
    const impatient = open(proxy.url, { silentAfterMs: 300 });
    await expect(impatient.$queryRaw`SELECT 'given up', pg_sleep(600)::text`).rejects.toThrow();
    const running = async () => {
      const [row] = await db.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT ''given up''%'`;
      return row?.count;
    };
    const since = performance.now();
    await until(async () => (await running()) === 0, 'the end of it');
    expectWithin(promised("a statement's client is gone", '2 s'), performance.now() - since);
  });
});
