import { type Database, Prisma } from '../client.ts';
import {
  type ExecutionOrder,
  filterConditions,
  isAfter,
  type RunPosition,
  SORT_COLUMNS,
  sortOrder,
} from '../executions/read/filter.ts';

/** A partition of the runs, as far as a list goes through it. */
export interface Part {
  /** The ids of its runs: from the first one to before the second one. */
  readonly fromId: string;
  readonly toId: string;
  /** The first of the workspace's runs in it, in the list's order. */
  readonly first: RunPosition;
}

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
/** Above all ids of runs, which are UUIDs of version 7. */
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Finds the partitions that have runs of a workspace, in the order in which a list comes to them. Partitions are by id,
 * and a run may start long after it was created, so a list may go back and forth between them.
 */
export async function findParts(
  db: Database,
  request: { readonly workspaceId: string } & ExecutionOrder,
): Promise<Part[]> {
  const { workspaceId, sortBy } = request;
  const rows = await db.$queryRaw<(Omit<Part, 'first'> & RunPosition)[]>(Prisma.sql`
    SELECT part.from_id AS "fromId", part.to_id AS "toId", e.id, e.at
    FROM (
      SELECT coalesce(lower_id, ${LOWEST_ID}::uuid) AS from_id, coalesce(upper_id, ${HIGHEST_ID}::uuid) AS to_id
      FROM run_partitions WHERE table_name = 'executions'
    ) part
    CROSS JOIN LATERAL (
      SELECT e.id, ${SORT_COLUMNS[sortBy]} AS at FROM executions e
      WHERE ${filterConditions({ workspaceId })} AND ${isAfter(request)} AND e.id >= part.from_id AND e.id < part.to_id
      ORDER BY ${sortOrder(request)} LIMIT 1
    ) e
    ORDER BY ${Prisma.raw(request.sortOrder === 'asc' ? 'e.at, e.id' : 'e.at DESC, e.id DESC')}`);
  return rows.map(({ fromId, toId, ...first }) => ({ fromId, toId, first }));
}

/** Returns the condition, as SQL, that a column is the id of a run of a partition. */
export function isInPart(column: Prisma.Sql, { fromId, toId }: Part): Prisma.Sql {
  return Prisma.sql`${column} >= ${fromId}::uuid AND ${column} < ${toId}::uuid`;
}
