import { Prisma, type Queryable } from './client.ts';

/** Reads the time of the database, in ms since the epoch. */
export async function readDatabaseTime(db: Queryable): Promise<number> {
  const [row] = await db.$queryRaw<{ now: number }[]>(Prisma.sql`/* database.read-time */
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`);
  if (!row) throw new Error('the database did not say what time it is');
  return row.now;
}
