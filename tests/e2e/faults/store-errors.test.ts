import { classifyStoreError, createDatabase, type Database, isStoreError } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, stopAll, stopLater, until } from '../../harness/index.ts';

// The form of errors depends on PostgreSQL, pg, the driver adapter and Prisma: here all of them are real.

let url: string;
let db: Database;

beforeAll(async () => {
  ({ url } = await createTestDatabase());
  db = open(url);
  await db.$executeRaw`CREATE TABLE things (id int PRIMARY KEY, other int REFERENCES things, name varchar(3) NOT NULL)`;
  await db.$executeRaw`INSERT INTO things VALUES (1, NULL, 'a'), (2, NULL, 'b')`;
});
afterAll(stopAll);

function open(databaseUrl: string, poolSize = 4): Database {
  const opened = createDatabase({ url: databaseUrl, poolSize });
  stopLater({ stop: () => opened.$disconnect() });
  return opened;
}

/** The URL of the test's database with some parts replaced. */
function urlWith(parts: Partial<Record<'username' | 'hostname' | 'port' | 'pathname', string>>): string {
  return Object.assign(new URL(url), parts).href;
}

async function thrownBy(act: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/**
 * Runs a statement through Prisma, by itself and in a transaction, and through pg.
 * @returns what each of them throws.
 */
async function failuresOf(statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return [
      await thrownBy(() => db.$executeRawUnsafe(statement)),
      await thrownBy(() => db.$queryRawUnsafe(statement)),
      await thrownBy(() => db.$transaction((tx) => tx.$executeRawUnsafe(statement))),
      await thrownBy(() => client.query(statement)),
    ];
  } finally {
    await client.end();
  }
}

describe('a statement that PostgreSQL refuses', () => {
  it.each([
    ['row', 'a value that is taken', `INSERT INTO things VALUES (1, NULL, 'a')`],
    ['row', 'a reference to nothing', `INSERT INTO things VALUES (3, 99, 'a')`],
    ['row', 'a value that is missing', 'INSERT INTO things VALUES (3, NULL, NULL)'],
    ['row', 'a number too large', `INSERT INTO things VALUES (1e20::numeric::int, NULL, 'a')`],
    ['row', 'a text too long', `INSERT INTO things VALUES (3, NULL, 'long')`],
    ['row', 'a text that is not a number', `SELECT 'x'::int`],
    ['row', 'a NUL in JSON', String.raw`SELECT '"\u0000"'::jsonb ->> 0`],
    ['row', 'text that is not JSON', `SELECT '{'::json`],
    ['row', 'JSON nested too deeply', `SELECT repeat('[', 1000000)::json`],
    ['deployment', 'a table that is missing', 'SELECT 1 FROM missing'],
    ['deployment', 'a column that is missing', 'SELECT missing FROM things'],
    ['deployment', 'a function that is missing', 'SELECT missing()'],
    [
      'deployment',
      'a permission that is missing',
      'DO $$ BEGIN SET LOCAL ROLE pg_monitor; PERFORM 1 FROM things; END $$',
    ],
    ['transient', 'a session that was ended', 'SELECT pg_terminate_backend(pg_backend_pid())'],
    ['transient', 'a statement that is not prepared', 'EXECUTE missing'],
  ])('is of kind %s for %s', async (kind, _what, statement) => {
    for (const error of await failuresOf(statement)) {
      expect([classifyStoreError(error), isStoreError(error)]).toEqual([kind, true]);
    }
  });
});

describe('what another transaction, a limit or an operator is in the way of', () => {
  const kindOf = async (act: () => PromiseLike<unknown>): Promise<unknown> => {
    const error = await thrownBy(act);
    expect(isStoreError(error)).toBe(true);
    return classifyStoreError(error);
  };
  const update = (id: number) => `UPDATE things SET name = 'z' WHERE id = ${id}`;

  it('is transient for a statement that takes too long', async () => {
    const kind = await kindOf(() =>
      db.$transaction(async (tx) => {
        await tx.$executeRaw`SET LOCAL statement_timeout = 20`;
        await tx.$queryRaw`SELECT pg_sleep(30)::text`;
      }),
    );
    expect(kind).toBe('transient');
  });

  it('is transient for a lock that others hold, a deadlock and a serialization failure', async () => {
    const inOrder = async (ids: readonly number[], isolationLevel: 'ReadCommitted' | 'Serializable') => {
      let others = 0;
      const meet = () => until(() => others === 2);
      return Promise.allSettled(
        [ids, ids.toReversed()].map((order) =>
          db.$transaction(
            async (tx) => {
              await tx.$executeRaw`SET LOCAL deadlock_timeout = 50`;
              await tx.$queryRaw`SELECT sum(id) FROM things`;
              await tx.$executeRawUnsafe(update(order[0] ?? 0));
              others += 1;
              await meet();
              await tx.$executeRawUnsafe(update(order[1] ?? 0));
            },
            { isolationLevel },
          ),
        ),
      );
    };
    for (const level of ['ReadCommitted', 'Serializable'] as const) {
      const failures = (await inOrder([1, 2], level)).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(failures.map(classifyStoreError)).toEqual(['transient']);
    }
    const kind = await kindOf(() =>
      db.$transaction(async (tx) => {
        await tx.$executeRaw`LOCK TABLE things`;
        await db.$transaction(async (other) => {
          await other.$executeRaw`SET LOCAL lock_timeout = 20`;
          await other.$executeRawUnsafe(update(1));
        });
      }),
    );
    expect(kind).toBe('transient');
  });

  it('is transient while the database is read-only, for statements and models', async () => {
    await db.$executeRawUnsafe(`ALTER DATABASE ${urlPath()} SET default_transaction_read_only = on`);
    try {
      const readOnly = open(url);
      expect(await kindOf(() => readOnly.$executeRawUnsafe(update(1)))).toBe('transient');
      expect(await kindOf(() => readOnly.$transaction((tx) => tx.$executeRawUnsafe(update(1))))).toBe('transient');
      expect(await kindOf(() => readOnly.setting.create({ data: { name: 'x', value: 1 } }))).toBe('transient');
    } finally {
      await db.$executeRawUnsafe(`ALTER DATABASE ${urlPath()} RESET default_transaction_read_only`);
    }
  });

  it('is transient for lack of connections, and of the deployment for a role or database that is refused', async () => {
    const role = `few_${urlPath()}`;
    await db.$executeRawUnsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'secret' CONNECTION LIMIT 1`);
    try {
      const allowed = new URL(urlWith({ username: role }));
      allowed.password = 'secret';
      const few = open(allowed.href);
      const kind = await kindOf(() =>
        few.$transaction((tx) => Promise.all([tx.$queryRaw`SELECT 1`, few.$queryRaw`SELECT 1`])),
      );
      expect(kind).toBe('transient');
      await few.$disconnect();
      expect(await kindOf(() => open(urlWith({ username: role })).$queryRaw`SELECT 1`)).toBe('deployment');
    } finally {
      await db.$executeRawUnsafe(`DROP ROLE ${role}`);
    }
    expect(await kindOf(() => open(urlWith({ pathname: '/missing' })).$queryRaw`SELECT 1`)).toBe('deployment');
    expect(await kindOf(() => open(urlWith({ pathname: '/missing' })).setting.count())).toBe('deployment');
  });

  it('is transient where PostgreSQL cannot be found or reached', async () => {
    for (const parts of [{ hostname: 'nowhere.invalid' }, { port: '1' }]) {
      const away = open(urlWith(parts));
      expect(await kindOf(() => away.$queryRaw`SELECT 1`)).toBe('transient');
      expect(await kindOf(() => away.setting.count())).toBe('transient');
      expect(await kindOf(() => away.$transaction((tx) => tx.$queryRaw`SELECT 1`))).toBe('transient');
    }
  });

  it('is transient for a plan that a migration made stale, also in a transaction, and is over with the next attempt', async () => {
    const one = open(url, 1);
    const read = (queryable: Pick<Database, '$queryRawUnsafe'>) =>
      queryable.$queryRawUnsafe('/* things.all */ SELECT * FROM things');
    await read(one);
    await db.$executeRaw`ALTER TABLE things ADD COLUMN more int`;
    expect(await kindOf(() => one.$transaction((tx) => read(tx)))).toBe('transient');
    expect(await read(one)).toHaveLength(2);
  });
});

function urlPath(): string {
  return new URL(url).pathname.slice(1);
}
