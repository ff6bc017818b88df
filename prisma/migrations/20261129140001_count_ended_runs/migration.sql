-- Counts the runs that ended before the column "is_counted": those that are still to be indexed are counted then. In a
-- transaction of its own, so that no run waits for it. It is the statement of packages/db/src/insights/run-days.ts.
WITH ended_runs AS (
  SELECT e.workspace_id, (e.finished_at AT TIME ZONE 'UTC')::date AS day, e.workflow_id, e.status,
    CASE WHEN e.started_at IS NOT NULL THEN
      least(280, 1 + floor(8 / ln(2::float8)
        * ln(greatest(1, extract(epoch FROM e.finished_at - e.started_at)::float8 * 1000))))::int END AS bucket
  FROM executions e
  WHERE e.execution_mode IN ('normal', 'sandbox') AND e.finished_at IS NOT NULL
    AND (e.finished_at AT TIME ZONE 'UTC')::date >= (now() AT TIME ZONE 'UTC')::date - 801
    AND NOT (e.trigger_data IS NOT NULL AND EXISTS (SELECT FROM unindexed_executions u WHERE u.execution_id = e.id))
    AND EXISTS (SELECT FROM workspaces w WHERE w.id = e.workspace_id)
), runs_of_days AS (
  SELECT workspace_id, day, workflow_id, status, bucket FROM ended_runs
  UNION ALL
  SELECT workspace_id, day, '00000000-0000-0000-0000-000000000000'::uuid, status, bucket FROM ended_runs
), buckets_of_days AS (
  SELECT workspace_id, day, workflow_id, bucket, count(*) AS count FROM runs_of_days
  WHERE bucket IS NOT NULL GROUP BY 1, 2, 3, 4
), last_buckets AS (
  SELECT workspace_id, day, workflow_id, max(bucket) AS last_bucket FROM buckets_of_days GROUP BY 1, 2, 3
), durations_of_days AS (
  SELECT l.workspace_id, l.day, l.workflow_id, array_agg(coalesce(b.count, 0)::int ORDER BY n.bucket) AS durations
  FROM last_buckets l CROSS JOIN LATERAL generate_series(1, l.last_bucket) AS n (bucket)
  LEFT JOIN buckets_of_days b ON b.workspace_id = l.workspace_id AND b.day = l.day AND b.workflow_id = l.workflow_id
    AND b.bucket = n.bucket
  GROUP BY 1, 2, 3
), sums_of_days AS (
  SELECT workspace_id, day, workflow_id,
    count(*) FILTER (WHERE status = 'success') AS succeeded, count(*) FILTER (WHERE status = 'failed') AS failed,
    count(*) FILTER (WHERE status = 'timeout') AS timed_out, count(*) FILTER (WHERE status = 'stopped') AS stopped
  FROM runs_of_days GROUP BY 1, 2, 3
)
INSERT INTO run_days (workspace_id, day, workflow_id, succeeded, failed, timed_out, stopped, durations)
SELECT s.workspace_id, s.day, s.workflow_id, s.succeeded, s.failed, s.timed_out, s.stopped, coalesce(d.durations, '{}')
FROM sums_of_days s LEFT JOIN durations_of_days d
  ON d.workspace_id = s.workspace_id AND d.day = s.day AND d.workflow_id = s.workflow_id
-- What workers have counted since the table exists.
ON CONFLICT (workspace_id, day, workflow_id) DO NOTHING;
