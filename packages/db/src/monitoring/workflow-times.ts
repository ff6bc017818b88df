import type { WorkflowTimes } from '@deckhand/contracts';
import { type Actor, requirePermission } from '../access.ts';
import { type Database, Prisma } from '../client.ts';
import { BEGAN_AT } from '../executions/read/filter.ts';
import type { StatsPeriod } from './run-stats.ts';

interface Row {
  readonly workflowId: string;
  readonly name: string;
  readonly total: number;
  readonly failed: number;
  readonly runMs: readonly [number, number];
}

/** Number of workflows returned at most. */
const ROWS = 10;

/**
 * Lists the workflows of a workspace with the slowest finished runs, by p95. A run counts at the time of its start;
 * test and debug runs are left out.
 * @param source the database that runs are read from: a replica, or `db`, which decides what the actor may see.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function readWorkflowTimes(
  db: Database,
  actor: Actor,
  { workspaceId, from, to }: Omit<StatsPeriod, 'bucketSeconds'>,
  source = db,
): Promise<WorkflowTimes> {
  await requirePermission(db, actor, workspaceId, 'runs.read');
  // A finished run that never started has no duration.
  const rows = await source.$queryRaw<Row[]>(Prisma.sql`
    SELECT t.workflow_id AS "workflowId", w.name, t.total, t.failed, t.run_ms AS "runMs"
    FROM (
      SELECT workflow_id, count(*)::int AS total,
        count(*) FILTER (WHERE status IN ('failed', 'timeout'))::int AS failed,
        percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP
          (ORDER BY (extract(epoch FROM finished_at - started_at) * 1000)::float8) AS run_ms
      FROM executions e
      WHERE workspace_id = ${workspaceId}::uuid AND ${BEGAN_AT} >= ${from}::timestamptz AND ${BEGAN_AT} < ${to}::timestamptz
        AND started_at IS NOT NULL AND finished_at IS NOT NULL AND execution_mode IN ('normal', 'sandbox')
      GROUP BY workflow_id
    ) t
    JOIN workflows w ON w.id = t.workflow_id
    ORDER BY t.run_ms[2] DESC, t.workflow_id
    LIMIT ${ROWS}`);
  return {
    workspaceId,
    from: from.toISOString(),
    to: to.toISOString(),
    data: rows.map(({ runMs: [p50, p95], ...row }) => ({ ...row, runMs: { p50, p95 } })),
  };
}
