import { type Database, Prisma } from '@deckhand/db';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Begins to count PostgreSQL's statements. Needs `shared_preload_libraries = pg_stat_statements`. */
export async function countStatements(db: Database): Promise<void> {
  await db.$executeRaw(Prisma.sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`);
}

/** Writes the statements that took the most time, with ms in all, calls and rows, as `statements.txt`. */
export async function writeStatements(db: Database, folder: string): Promise<void> {
  const rows = await db.$queryRaw<{ line: string }[]>`
    SELECT format('%s ms, %s calls, %s rows, planning %s ms, WAL %s kB: %s', total_exec_time::int, calls, rows, total_plan_time::int,
      (wal_bytes / 1024)::bigint, left(regexp_replace(query, '\s+', ' ', 'g'), 160)) AS line
    FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 25`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'statements.txt'), `${rows.map(({ line }) => line).join('\n')}\n`);
}
