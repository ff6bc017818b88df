import {
  EXECUTION_STATUSES,
  type ExecutionStatus,
  type RunStats,
  type RunStatsBucket,
  type UNFINISHED_STATUSES,
} from '@deckhand/contracts';
import { type Actor, memberMay, requirePermission } from '../access.ts';
import { type Database, Prisma } from '../client.ts';
import { BEGAN_AT } from '../executions/read/filter.ts';
import { IS_UNCLAIMED, isUnfinished } from '../executions/run-status.ts';

/** A period, divided into parts of equal length, of a workspace. */
export interface StatsPeriod {
  readonly workspaceId: string;
  readonly from: Date;
  readonly to: Date;
  readonly bucketSeconds: number;
}

type Stats = Omit<RunStatsBucket, 'from'>;
type Row = Readonly<Record<ExecutionStatus, number>> & {
  /** Null for the whole period. */
  readonly bucket: number | null;
  readonly total: number;
  readonly waitMs: readonly number[] | null;
  readonly runMs: readonly number[] | null;
};

const NOTHING: Stats = { total: 0, statuses: toStatusCounts(() => 0), waitMs: null, runMs: null };

/** A count per status, each in a column of its name. */
const COUNTS = Prisma.join(
  EXECUTION_STATUSES.map(
    (status) =>
      Prisma.sql`count(*) FILTER (WHERE status = ${status}::execution_status)::int AS ${Prisma.raw(`"${status}"`)}`,
  ),
);

/**
 * Counts a workspace's runs per status, and measures their queue times and durations. A run counts at the time of its
 * start, or of its acceptance if it did not start. Test and debug runs are left out.
 * @param source the database that runs are read from: a replica, or `db`, which decides what the actor may see.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function readRunStats(db: Database, actor: Actor, period: StatsPeriod, source = db): Promise<RunStats> {
  const { workspaceId, from, to, bucketSeconds } = period;
  await requirePermission(db, actor, workspaceId, 'runs.read');
  const rows = await readRows(source, actor, period);
  const stats = new Map(rows.map((row) => [row.bucket, toStats(row)]));
  const bucketMs = bucketSeconds * 1_000;
  const buckets = Array.from({ length: Math.ceil((to.getTime() - from.getTime()) / bucketMs) }, (_, index) => ({
    from: new Date(from.getTime() + index * bucketMs).toISOString(),
    ...(stats.get(index) ?? NOTHING),
  }));
  return {
    workspaceId,
    from: from.toISOString(),
    to: to.toISOString(),
    bucketSeconds,
    ...(stats.get(null) ?? NOTHING),
    buckets,
  };
}

function readRows(db: Database, actor: Actor, { workspaceId, from, to, bucketSeconds }: StatsPeriod): Promise<Row[]> {
  const visible = Prisma.sql`e.workspace_id = ${workspaceId}::uuid AND e.execution_mode IN ('normal', 'sandbox')
    AND EXISTS (SELECT 1 FROM memberships m WHERE m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')})`;
  return db.$queryRaw<Row[]>(Prisma.sql`
    WITH runs AS (
      SELECT status, ${BEGAN_AT} AS at,
        CASE WHEN started_at IS NOT NULL THEN greatest(started_at - created_at, interval '0') END AS wait,
        finished_at - started_at AS run
      FROM executions e
      WHERE ${visible} AND ${BEGAN_AT} >= ${from}::timestamptz AND ${BEGAN_AT} < ${to}::timestamptz
    ), timed AS (
      SELECT status,
        floor(extract(epoch FROM at - ${from}::timestamptz) / ${bucketSeconds}::int)::int AS bucket,
        (extract(epoch FROM wait) * 1000)::float8 AS wait_ms,
        (extract(epoch FROM run) * 1000)::float8 AS run_ms
      FROM runs
    )
    SELECT bucket, count(*)::int AS total, ${COUNTS},
      percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY wait_ms) AS "waitMs",
      percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY run_ms) AS "runMs"
    FROM timed
    GROUP BY GROUPING SETS ((), (bucket))`);
}

function toStats(row: Row): Stats {
  return {
    total: row.total,
    statuses: toStatusCounts((status) => row[status]),
    waitMs: toPercentiles(row.waitMs),
    runMs: toPercentiles(row.runMs),
  };
}

/** Returns the counts of all statuses. */
export function toStatusCounts(count: (status: ExecutionStatus) => number): Stats['statuses'] {
  return {
    pending: count('pending'),
    running: count('running'),
    paused: count('paused'),
    waiting_for_input: count('waiting_for_input'),
    waiting_for_human: count('waiting_for_human'),
    success: count('success'),
    failed: count('failed'),
    timeout: count('timeout'),
    stopped: count('stopped'),
  };
}

function toPercentiles(values: readonly number[] | null): Stats['waitMs'] {
  const [p50, p95, p99] = values ?? [];
  return p50 === undefined || p95 === undefined || p99 === undefined ? null : { p50, p95, p99 };
}

/** Returns how long the run that was dispatched first has waited to be claimed, in whole seconds; 0 if none waits. */
export async function readOldestWaitingSeconds(db: Database): Promise<number> {
  // Served by executions_unclaimed.
  const [row] = await db.$queryRaw<{ seconds: number | null }[]>`
    SELECT floor(extract(epoch FROM now() - min(e.dispatched_at)))::int AS seconds FROM executions e
    WHERE ${IS_UNCLAIMED}`;
  return Math.max(0, row?.seconds ?? 0);
}

/** A status of an unfinished run. */
type UnfinishedStatus = (typeof UNFINISHED_STATUSES)[number];

/** Counts the unfinished runs of all workspaces by status. Its cost depends on the number of unfinished runs only. */
export async function countUnfinished(db: Database): Promise<Record<UnfinishedStatus, number>> {
  // Served by executions_deadline, which contains only unfinished runs.
  const rows = await db.$queryRaw<{ status: UnfinishedStatus; runs: number }[]>`
    SELECT e.status::text, count(*)::int AS runs FROM executions e WHERE ${isUnfinished()} GROUP BY e.status`;
  const counts = new Map(rows.map(({ status, runs }) => [status, runs]));
  const count = (status: UnfinishedStatus): number => counts.get(status) ?? 0;
  return {
    pending: count('pending'),
    running: count('running'),
    paused: count('paused'),
    waiting_for_input: count('waiting_for_input'),
    waiting_for_human: count('waiting_for_human'),
  };
}
