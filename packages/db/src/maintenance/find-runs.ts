import { type Database, Prisma } from '../client.ts';
import type { Claim } from '../executions/claim/claim.ts';
import { IS_OVERDUE_TO_BEGIN, isHeldTooLong, isPastDeadline } from '../executions/claim/reconcile.ts';
import { IS_HELD, IS_RESTING, isFinished } from '../executions/run-status.ts';

/*
 * What maintenance acts on is first found, then changed by its ids in statements that check the same conditions again.
 * So a batch whose statement fails can be split until the row at fault stands alone, and that row can be left out for a
 * while.
 */

/** Limits of a search for rows. */
export interface RowPage {
  /** Maximum number of rows. */
  readonly limit: number;
  /** Ids of rows that are left out. */
  readonly except: readonly string[];
}

/** A run to act on. */
export interface FoundRun {
  readonly id: string;
  /** Its size in the database, which bounds a batch. */
  readonly bytes: number;
}

/** Smaller than every id of a run. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Returns the condition that an id is not excluded. */
export const isNotExcluded = (id: Prisma.Sql, except: readonly string[]): Prisma.Sql =>
  except.length === 0 ? Prisma.sql`true` : Prisma.sql`${id} <> ALL (${[...except]}::uuid[])`;

/** Finds resting runs whose time has come, the earliest first. */
export async function findDueRuns(db: Database, page: RowPage): Promise<string[]> {
  // Served by executions_wake.
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`/* maintenance.find-due-runs */
    SELECT e.id FROM executions e
    WHERE e.wake_at <= now() AND ${IS_RESTING} AND ${isNotExcluded(Prisma.sql`e.id`, page.except)}
    ORDER BY e.wake_at LIMIT ${page.limit}`);
  return rows.map(({ id }) => id);
}

/**
 * Finds unfinished runs past their deadline, the earliest first: resting runs at once, and runs that a worker holds
 * after a grace period in which the worker ends them itself; and runs that expired before they began.
 */
export async function findOverdueRuns(db: Database, page: RowPage & { readonly graceMs: number }): Promise<string[]> {
  const isWanted = isNotExcluded(Prisma.sql`e.id`, page.except);
  // Served by executions_deadline, executions_held and executions_expiring: none would serve a condition with OR.
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`/* maintenance.find-overdue-runs */
    SELECT id FROM (
      (SELECT e.id, e.deadline_at AS at FROM executions e
        WHERE ${isPastDeadline(page.graceMs)} AND ${isWanted} ORDER BY e.deadline_at LIMIT ${page.limit})
      UNION ALL
      (SELECT e.id, e.held_until FROM executions e
        WHERE ${isHeldTooLong(page.graceMs)} AND ${isWanted} ORDER BY e.held_until LIMIT ${page.limit})
      UNION ALL
      (SELECT e.id, e.expires_at FROM executions e
        WHERE ${IS_OVERDUE_TO_BEGIN} AND ${isWanted} ORDER BY e.expires_at LIMIT ${page.limit})
    ) overdue
    GROUP BY id ORDER BY min(at) LIMIT ${page.limit}`);
  return rows.map(({ id }) => id);
}

/** Finds the unfinished runs that workers hold, the oldest first. */
export async function findRunsOfWorkers(db: Database, workerIds: readonly string[], page: RowPage): Promise<string[]> {
  // Served by executions_held.
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`/* maintenance.find-runs-of-workers */
    SELECT e.id FROM executions e
    WHERE e.worker_id = ANY (${[...workerIds]}::uuid[]) AND ${IS_HELD} AND ${isNotExcluded(Prisma.sql`e.id`, page.except)}
    ORDER BY e.id LIMIT ${page.limit}`);
  return rows.map(({ id }) => id);
}

/** A run that waits for a finished run. */
export interface WaitingParent {
  readonly id: string;
  /** Whether a run ended by its worker more than a second ago, which should have let the parent continue. */
  readonly isMissed: boolean;
}

/** Finds runs that wait for a finished run. */
export async function findParentsOfFinished(db: Database, page: RowPage): Promise<WaitingParent[]> {
  // Served by waits_open; runs are joined by primary key.
  return db.$queryRaw<WaitingParent[]>(Prisma.sql`/* maintenance.find-parents-of-finished */
    SELECT w.execution_id AS id,
      bool_or(c.status IN ('success', 'failed') AND c.finished_at < now() - interval '1 second') AS "isMissed"
    FROM waits w JOIN executions c ON c.id = w.child_execution_id
    WHERE w.kind = 'workflow' AND w.answered_at IS NULL AND w.cancelled_at IS NULL AND ${isFinished(Prisma.sql`c`)}
      AND ${isNotExcluded(Prisma.sql`w.execution_id`, page.except)}
    GROUP BY w.execution_id LIMIT ${page.limit}`);
}

/**
 * Finds finished runs that are not in the search index yet, by ascending id.
 * @param page.after the id after which to continue. A search from the beginning reads entries of rows that were deleted
 * until a vacuum removes them.
 */
export function findUnindexedRuns(
  db: Database,
  page: RowPage & { readonly after?: string | undefined },
): Promise<FoundRun[]> {
  return db.$queryRaw<FoundRun[]>(Prisma.sql`/* maintenance.find-unindexed-runs */
    SELECT u.execution_id AS id, coalesce(e.stored_bytes, 0)::float8 AS bytes
    FROM unindexed_executions u LEFT JOIN executions e ON e.id = u.execution_id
    WHERE u.execution_id > ${page.after ?? NO_ID}::uuid AND ${isNotExcluded(Prisma.sql`u.execution_id`, page.except)}
    ORDER BY u.execution_id LIMIT ${page.limit}`);
}

/** Counts finished runs that are not in the search index yet, up to a maximum. */
export async function countUnindexedRuns(db: Database, max: number): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>(Prisma.sql`/* maintenance.count-unindexed-runs */
    SELECT count(*)::int AS count FROM (SELECT FROM unindexed_executions LIMIT ${max}) u`);
  return row?.count ?? 0;
}

/** Which runs retention is looking for. */
export interface ExpiredRuns {
  /** What is deleted: the data of a run, or the whole run. */
  readonly kind: 'data' | 'run';
  /** Days after the end of a run. */
  readonly days: number;
  /** Further days in which a run waits for the end of its partition. Runs of the first partition do not wait. */
  readonly graceDays: number;
}

/** A run that retention should have deleted, or whose data it should have deleted. */
export interface ExpiredRun extends FoundRun {
  /** For how long. */
  readonly overdueSeconds: number;
}

const DAY_SECONDS = 86_400;

/**
 * Finds runs that finished more than so many days ago, the oldest first: with `data`, those that still have data; with
 * `run`, those that have none. It skips runs that are being rerun, because their data is still read.
 */
export function findExpiredRuns(db: Database, page: RowPage & ExpiredRuns): Promise<ExpiredRun[]> {
  // Served by executions_with_data and executions_without_data. Two queries: with OR, each search would read all runs
  // that wait for the end of their partition.
  const hasData = page.kind === 'data' ? Prisma.sql`e.trigger_data IS NOT NULL` : Prisma.sql`e.trigger_data IS NULL`;
  const finishedBefore = (days: number, condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
    (SELECT e.id, e.stored_bytes, extract(epoch FROM now() - e.finished_at) - ${days * DAY_SECONDS}::float8 AS overdue
      FROM executions e
      WHERE e.finished_at <= now() - ${days}::int * interval '1 day' AND ${condition} AND ${hasData} AND ${isNotRepeated}
        AND ${isNotExcluded(Prisma.sql`e.id`, page.except)}
      ORDER BY e.finished_at LIMIT ${page.limit})`;
  const inFirstPartition = Prisma.sql`e.id < (
    SELECT p.upper_id FROM run_partitions p WHERE p.table_name = 'executions' AND p.lower_id IS NULL)`;
  return db.$queryRaw<ExpiredRun[]>(Prisma.sql`/* maintenance.find-expired-runs */
    SELECT id, min(stored_bytes)::float8 AS bytes, max(overdue)::float8 AS "overdueSeconds" FROM (
      ${finishedBefore(page.days + page.graceDays, Prisma.sql`true`)}
      UNION ALL
      ${finishedBefore(page.days, inFirstPartition)}
    ) found
    GROUP BY id ORDER BY max(overdue) DESC LIMIT ${page.limit}`);
}

/** A run that is being rerun is still read: data that the rerun reuses must not be deleted meanwhile. */
export const isNotRepeated = Prisma.sql`NOT EXISTS (
  SELECT 1 FROM executions r WHERE r.rerun_of = e.id AND r.finished_at IS NULL)`;

/** A run that a worker holds according to the database. */
export interface OwnedRun extends Claim {
  readonly executionId: string;
}

/** Reads the unfinished runs that a worker holds according to the database. */
export function findOwnedRuns(db: Database, workerId: string): Promise<OwnedRun[]> {
  // Served by executions_held.
  return db.$queryRaw<OwnedRun[]>(Prisma.sql`/* maintenance.find-owned-runs */
    SELECT e.id AS "executionId", e.epoch, e.claim_token AS token FROM executions e
    WHERE e.worker_id = ${workerId}::uuid AND ${IS_HELD}`);
}
