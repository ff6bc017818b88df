import { type ExecutionFilter, type ExecutionHistogram, type ExecutionStatus, toDate } from '@deckhand/contracts';
import { type Actor, requirePermission } from '../../access.ts';
import { type Database, Prisma } from '../../client.ts';
import { toStatusCounts } from '../../monitoring/run-stats.ts';
import { BEGAN_AT, filterConditions, resolveFilter } from './filter.ts';

/** Runs that are counted at most: each is read. */
const MAX_RUNS = 20_000;
const DAY_MS = 86_400_000;
const MAX_BUCKETS = 60;
/** Readable lengths of buckets; longer ones are multiples of the last. */
const BUCKET_SECONDS = [1, 5, 15, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800];
const LONGEST_SECONDS = 604_800;

interface Row {
  readonly bucket: number;
  readonly status: ExecutionStatus;
  readonly count: number;
}

/**
 * Counts the runs that match a filter by their start and status: the last ones if there are too many. Without a lower
 * bound of the start, those of the day before the upper bound, or before now.
 * @param source the database that runs are read from: a replica, or `db`, which decides what the actor may see.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function readRunHistogram(
  db: Database,
  actor: Actor,
  filter: ExecutionFilter,
  source = db,
): Promise<ExecutionHistogram> {
  const { workspaceId } = filter;
  await requirePermission(db, actor, workspaceId, 'runs.read');
  const { since, from, to, bucketSeconds } = periodOf(filter);
  const startedAt = { ...filter.startedAt, gte: new Date(since).toISOString() };
  const resolved = await resolveFilter(source, { ...filter, startedAt });
  const bucketMs = bucketSeconds * 1_000;
  // At least one: a run may have started in the same ms.
  const count = Math.max(1, Math.ceil((to - from) / bucketMs));
  // The last bucket has the runs at the upper bound, too, and those of processes whose clocks are ahead.
  const rows = await source.$queryRaw<Row[]>(Prisma.sql`
    SELECT least(floor((extract(epoch FROM at) - ${from / 1_000}::float8) / ${bucketSeconds}::int), ${count - 1}::int)::int AS bucket,
      status::text AS status, count(*)::int AS count
    FROM (
      SELECT ${BEGAN_AT} AS at, e.status FROM executions e WHERE ${filterConditions(resolved)}
      ORDER BY ${BEGAN_AT} DESC, e.id DESC LIMIT ${MAX_RUNS + 1}
    ) last_runs
    GROUP BY 1, 2`);
  const buckets = Array.from({ length: count }, (_, index) => ({
    from: new Date(from + index * bucketMs).toISOString(),
    statuses: countsOf(rows.filter(({ bucket }) => bucket === index)),
  }));
  return {
    workspaceId,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    bucketSeconds,
    isComplete: rows.reduce((sum, { count }) => sum + count, 0) <= MAX_RUNS,
    statuses: countsOf(rows),
    buckets,
  };
}

/** The period of a histogram, in ms: runs are counted from `since`, the first bucket begins at `from`. */
interface Period {
  readonly since: number;
  readonly from: number;
  readonly to: number;
  readonly bucketSeconds: number;
}

function periodOf({ startedAt: { gte, gt, lte, lt } = {} }: ExecutionFilter): Period {
  const timesOf = (...times: readonly (string | undefined)[]): number[] =>
    times.flatMap((time) => (time === undefined ? [] : [toDate(time).getTime()]));
  const end = Math.min(Date.now(), ...timesOf(lte, lt));
  const bounds = timesOf(gte, gt);
  const since = bounds.length === 0 ? end - DAY_MS : Math.max(...bounds);
  const to = Math.max(since, end);
  const seconds = (to - since) / 1_000;
  // One less: the first bucket may begin before the period.
  const bucketSeconds =
    BUCKET_SECONDS.find((length) => seconds / length <= MAX_BUCKETS - 1) ??
    Math.ceil(seconds / (MAX_BUCKETS - 1) / LONGEST_SECONDS) * LONGEST_SECONDS;
  const from = Math.floor(since / 1_000 / bucketSeconds) * bucketSeconds * 1_000;
  return { since, from, to, bucketSeconds };
}

function countsOf(rows: readonly Row[]): ExecutionHistogram['statuses'] {
  return toStatusCounts((wanted) =>
    rows.reduce((sum, { status, count }) => (status === wanted ? sum + count : sum), 0),
  );
}
