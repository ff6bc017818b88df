import { type Database, Prisma } from '../client.ts';
import { DURATION_BUCKET } from './durations.ts';

/** The workflow of the rows that count all runs of a workspace. */
export const ALL_WORKFLOWS = '00000000-0000-0000-0000-000000000000';

/** How long days are kept: the longest period of insights, and the one before it. */
const KEPT_DAYS = 801;

const ALL = Prisma.raw(`'${ALL_WORKFLOWS}'::uuid`);

/**
 * Returns the common table expressions, the last one named `counted_runs`, that count ended runs in the day, of UTC, of
 * their end: once for their workflow, and once for their workspace. Test and debug runs are left out, as everywhere in
 * statistics. A run without trigger data was counted before: a worker of a version before the column `is_counted` put
 * it back on the work list.
 *
 * Race: another statement that counts runs of the same days. It adds to the rows as this one leaves them. All lock rows
 * in the order of the key.
 * @param runs a table of runs that nobody has counted yet, with `execution_id`. The statement marks them as counted, or
 * takes them from the work list.
 */
export function countRuns(runs: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`ended_runs AS (
      SELECT e.workspace_id, (e.finished_at AT TIME ZONE 'UTC')::date AS day, e.workflow_id, e.status,
        ${DURATION_BUCKET} AS bucket
      FROM ${runs} r JOIN executions e ON e.id = r.execution_id
      WHERE e.execution_mode IN ('normal', 'sandbox') AND e.finished_at IS NOT NULL AND e.trigger_data IS NOT NULL
    ), runs_of_days AS (
      SELECT workspace_id, day, workflow_id, status, bucket FROM ended_runs
      UNION ALL
      SELECT workspace_id, day, ${ALL}, status, bucket FROM ended_runs
    ), buckets_of_days AS (
      SELECT workspace_id, day, workflow_id, bucket, count(*) AS count FROM runs_of_days
      WHERE bucket IS NOT NULL GROUP BY 1, 2, 3, 4
    ), sums_of_days AS (
      SELECT workspace_id, day, workflow_id, max(bucket) AS last_bucket,
        count(*) FILTER (WHERE status = 'success') AS succeeded, count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'timeout') AS timed_out, count(*) FILTER (WHERE status = 'stopped') AS stopped
      FROM runs_of_days GROUP BY 1, 2, 3
    ), counted_runs AS (
      INSERT INTO run_days AS d (workspace_id, day, workflow_id, succeeded, failed, timed_out, stopped, durations)
      SELECT s.workspace_id, s.day, s.workflow_id, s.succeeded, s.failed, s.timed_out, s.stopped,
        ARRAY(
          SELECT coalesce(b.count, 0)::int FROM generate_series(1, s.last_bucket) AS n (bucket)
          LEFT JOIN buckets_of_days b ON b.workspace_id = s.workspace_id AND b.day = s.day
            AND b.workflow_id = s.workflow_id AND b.bucket = n.bucket
          ORDER BY n.bucket)
      FROM sums_of_days s ORDER BY s.workspace_id, s.day, s.workflow_id
      ON CONFLICT (workspace_id, day, workflow_id) DO UPDATE SET
        succeeded = d.succeeded + excluded.succeeded, failed = d.failed + excluded.failed,
        timed_out = d.timed_out + excluded.timed_out, stopped = d.stopped + excluded.stopped,
        durations = ARRAY(
          SELECT coalesce(u.before, 0) + coalesce(u.added, 0)
          FROM unnest(d.durations, excluded.durations) WITH ORDINALITY AS u (before, added, position)
          ORDER BY u.position)
    )`;
}

/** Deletes old days. @returns how many rows; `limit` of them means that there may be more. */
export function pruneRunDays(db: Database, limit: number): Promise<number> {
  return db.$executeRaw`/* insights.prune */
    DELETE FROM run_days WHERE (workspace_id, day, workflow_id) IN (
      SELECT workspace_id, day, workflow_id FROM run_days
      WHERE day < (now() AT TIME ZONE 'UTC')::date - ${KEPT_DAYS}::int
      ORDER BY day LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
