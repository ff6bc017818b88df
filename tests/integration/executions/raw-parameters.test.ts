import { createDatabase, type Database, Prisma } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { executeWithRawParameters, queryWithRawParameters } from '../../../packages/db/src/connection.ts';
import { createTestDatabase, stopAll, stopLater } from '../../harness/index.ts';

let db: Database;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  db = createDatabase({ url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

/** Longer than texts that pg escapes itself, with everything that an array literal has to escape. */
const LONG = `{"a": "\\\\", 'b': NULL}\u0001 é 東京 👩`.repeat(1_000);
const VALUES = Prisma.sql`SELECT ${'a "text"'}::text AS text, ${7}::int AS int, ${true}::boolean AS bool, ${null}::text AS none,
  encode(${Buffer.from([0, 255])}::bytea, 'hex') AS bytes, ${['a', 'b,c', LONG]}::text[] AS texts, ${[1, 2]}::int[] AS ints`;
const RECEIVED = [
  {
    ...{ text: 'a "text"', int: 7, bool: true, none: null, bytes: '00ff' },
    ...{ texts: ['a', 'b,c', LONG], ints: [1, 2] },
  },
];

// What the way past Prisma relies on: Prisma, its adapter and pg pass a statement and its one parameter on to the
// connection. A new version of one of them may not.
describe('parameters that Prisma does not see', () => {
  it('reach PostgreSQL as they are', async () => {
    expect(await queryWithRawParameters(db, VALUES)).toEqual(RECEIVED);
  });

  it('reach it within a transaction, and are rolled back with it', async () => {
    await db.$executeRaw`CREATE TABLE things (name text)`;
    const insert = Prisma.sql`INSERT INTO things SELECT unnest(${['one', 'two']}::text[])`;
    const failed = db.$transaction(async (tx) => {
      expect(await executeWithRawParameters(tx, insert)).toBe(2);
      expect(await queryWithRawParameters(tx, VALUES)).toEqual(RECEIVED);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await db.$queryRaw`SELECT count(*)::int AS count FROM things`).toEqual([{ count: 0 }]);
  });

  it('are not mixed up by statements at the same time', async () => {
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const rows = await Promise.all(
      numbers.map((n) => queryWithRawParameters<{ n: number }[]>(db, Prisma.sql`SELECT ${n}::int AS n`)),
    );
    expect(rows.map(([row]) => row?.n)).toEqual(numbers);
  });

  it('are nothing that a caller could name', async () => {
    const guessed = 'values 00000000-0000-4000-8000-000000000000 1';
    expect(await db.$queryRaw`SELECT ${guessed}::text AS text`).toEqual([{ text: guessed }]);
  });
});
