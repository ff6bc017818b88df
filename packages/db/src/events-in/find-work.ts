import { type Database, Prisma } from '../client.ts';
import { type FoundRun, isNotExcluded, type RowPage } from '../maintenance/find-runs.ts';
import { IS_OPEN } from './event.ts';

/** A work list: the rows of a table that meet a condition, by an index on workspace and time. */
interface WorkList {
  /** The table with its alias. */
  readonly table: Prisma.Sql;
  readonly workspaceId: Prisma.Sql;
  readonly at: Prisma.Sql;
  /** Which rows are in the list, in the wording of its index. */
  readonly condition: Prisma.Sql;
  /** Which of them are due. */
  readonly isDue: Prisma.Sql;
  readonly columns: Prisma.Sql;
}

/**
 * Returns the query of a page of a work list: of each workspace as many rows, the first of each, then the second, and
 * so on. What is left of the page goes to workspaces that have more. So a workspace with very many delays no other, and
 * a page is full if there are enough rows. It reads two pages at most, and a row of each workspace.
 */
function fairPage({ table, workspaceId, at, condition, isDue, columns }: WorkList, limit: number): Prisma.Sql {
  const rowsOf = (bounds: Prisma.Sql): Prisma.Sql => Prisma.sql`
      SELECT ${columns}, ${at} AS at FROM ${table}
      WHERE ${condition} AND ${workspaceId} = l.id AND ${isDue} ORDER BY ${at} ${bounds}`;
  const share = Prisma.sql`(SELECT ceil(${limit}::float8 / greatest(count(*), 1))::int FROM listed)`;
  return Prisma.sql`
    WITH RECURSIVE listed AS (
      (SELECT ${workspaceId} AS id FROM ${table} WHERE ${condition} ORDER BY ${workspaceId} LIMIT 1)
      UNION ALL
      SELECT n.id FROM listed l CROSS JOIN LATERAL (
        SELECT ${workspaceId} AS id FROM ${table} WHERE ${condition} AND ${workspaceId} > l.id ORDER BY ${workspaceId} LIMIT 1
      ) n
    ), shares AS (
      SELECT f.*, row_number() OVER (PARTITION BY l.id ORDER BY f.at) AS place
      FROM listed l CROSS JOIN LATERAL (${rowsOf(Prisma.sql`LIMIT ${share}`)}) f
    ), rest AS (
      SELECT f.*, NULL::bigint AS place FROM listed l CROSS JOIN LATERAL (${rowsOf(Prisma.sql`OFFSET ${share} LIMIT ${limit}`)}) f
      LIMIT greatest(${limit} - (SELECT count(*) FROM shares), 0)
    )
    SELECT f.* FROM (SELECT * FROM shares UNION ALL SELECT * FROM rest) f ORDER BY f.place, f.at LIMIT ${limit}`;
}

/** Finds events to be matched, fairly by workspace, those that have waited longest first. */
export async function findUnmatchedEvents(db: Database, { limit, except }: RowPage): Promise<FoundRun[]> {
  // Served by events_unmatched.
  const list: WorkList = {
    table: Prisma.sql`events v`,
    workspaceId: Prisma.sql`v.workspace_id`,
    at: Prisma.sql`v.next_match_at`,
    condition: Prisma.sql`v.matched_at IS NULL`,
    isDue: Prisma.sql`v.next_match_at <= now() AND ${isNotExcluded(Prisma.sql`v.id`, except)}`,
    columns: Prisma.sql`v.id, octet_length(v.data)::float8 AS bytes`,
  };
  const rows = await db.$queryRaw<FoundRun[]>(Prisma.sql`/* events.find-unmatched */ ${fairPage(list, limit)}`);
  return rows.map(({ id, bytes }) => ({ id, bytes }));
}

/**
 * Finds runs with waits for which the events before them have not been checked, fairly by workspace. One run may be
 * found several times.
 */
export async function findUncheckedWaits(db: Database, { limit, except }: RowPage): Promise<string[]> {
  // Served by waits_unchecked.
  const list: WorkList = {
    table: Prisma.sql`waits w`,
    workspaceId: Prisma.sql`w.workspace_id`,
    at: Prisma.sql`w.created_at`,
    condition: Prisma.sql`${IS_OPEN} AND w.events_checked_at IS NULL`,
    isDue: isNotExcluded(Prisma.sql`w.execution_id`, except),
    columns: Prisma.sql`w.execution_id AS id`,
  };
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`/* events.find-unchecked */ ${fairPage(list, limit)}`);
  return rows.map(({ id }) => id);
}
