import type { Database } from '@deckhand/db';

/** Rows that any request writes, whatever its result. */
const USE_NOTES = ['last_used_at'];
/** The row by which an API finds out whether the database accepts writes, when it is slow. */
const PROBE = 'writeProbe';

/** What every table holds, as one digest a table: equal before and after where nothing was changed. */
export async function digestTables(db: Database): Promise<Record<string, string>> {
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`;
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await db.$queryRawUnsafe<{ digest: string }[]>(
      `SELECT count(*) || ' rows, ' || coalesce(md5(string_agg(r::text, '' ORDER BY r::text)), '') AS digest
       FROM (SELECT to_jsonb(t) - $1::text[] AS r FROM "${name}" t) rows
       WHERE r->>'name' IS DISTINCT FROM $2`,
      USE_NOTES,
      PROBE,
    );
    digests[name] = row?.digest ?? '';
  }
  return digests;
}
