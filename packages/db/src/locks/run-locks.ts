import { type Database, Prisma, type Queryable } from '../client.ts';
import { lockNames } from '../advisory-locks.ts';
import type { ReleasedExecution } from '../executions/claim/release.ts';
import { dispatchAgainIf, dispatchedIf, IS_RESTING, isFinished, isUnfinished } from '../executions/run-status.ts';
import { LOCK_RUNS } from '../lock-order.ts';

/*
 * Locks by a key that nodes acquire. A row is a request, and once `acquired_at` is set, a holder. It counts only while
 * its run is unfinished and its node is not cancelled: so every exit of a run frees its locks, also statements that
 * know nothing of them. Who holds a key is decided under an advisory lock of the key, in the order of `seq`.
 *
 * Maintenance gives freed locks to those who wait. It finds them by `executions.lock_state`, which is in an index only
 * while there is something to do: 1, the run has requested a lock, and has ended; 2, something changed before its end.
 */

/** A lock of a workspace. */
export interface LockName {
  readonly workspaceId: string;
  readonly key: string;
}

/** A node of a run that requests a lock. */
export interface LockRequest extends LockName {
  readonly executionId: string;
  readonly nodeId: string;
  readonly iteration: string;
  /** How many may hold it at the same time. */
  readonly maxHolders: number;
  /** How long the request lasts, in ms; null for as long as the run. */
  readonly timeoutMs: number | null;
}

/** The state of a request. `dueInMs`: when it ends by itself; null if never. */
export type LockVerdict =
  | { readonly kind: 'acquired' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'waiting'; readonly dueInMs: number | null };

/** Runs that have a lock now, and continue. */
export type Woken = readonly ReleasedExecution[];

type Holder = Pick<LockRequest, 'executionId' | 'nodeId' | 'iteration'>;

/** A run whose locks others may have now. */
export interface ChangedRun {
  readonly executionId: string;
  readonly revision: number;
}

/** Maximum number of keys, of runs with changes, and of runs to wake that one pass of maintenance reads at once. */
const MAX_KEYS = 100;
export const MAX_CHANGED_RUNS = 500;
const MAX_WOKEN = 500;
/** Maximum number of requests that one statement grants, so that it does not read thousands that wait. */
const MAX_GRANTED = 100;

/** Whether the request `l` counts: its run `e` is unfinished, and its node was not cancelled. */
const IS_ALIVE = Prisma.sql`coalesce(${isUnfinished()}, false)
  AND NOT EXISTS (SELECT 1 FROM node_runs n WHERE n.execution_id = l.execution_id AND n.node_id = l.node_id
    AND l.iteration = '' AND n.status = 'stopped')
  AND NOT EXISTS (SELECT 1 FROM node_iterations n WHERE n.execution_id = l.execution_id AND n.node_id = l.node_id
    AND n.iteration = l.iteration AND n.status = 'stopped')`;

/** Whether the locks of the run `e` have to be given to others, in the words of the index executions_lock_changes. */
const HAS_CHANGED = Prisma.sql`(e.lock_state = 2 OR (e.lock_state = 1 AND e.finished_at IS NOT NULL))`;

/**
 * Whether the request `l` waits, and its time was not up when the transaction began: so one that does not wait at all
 * is granted a free lock by the transaction that makes it.
 */
const IS_WAITING = Prisma.sql`l.acquired_at IS NULL AND (l.due_at IS NULL OR l.due_at >= now())`;

/**
 * Requests a lock, or asks what became of an earlier request of the same node. Repeating it is harmless.
 *
 * Race: the time and a grant at once. Only here, under the lock of the key, a request times out: a node that is told so
 * holds nothing, and one whose request was granted before is told that.
 */
export function requestLock(db: Database, request: LockRequest): Promise<{ verdict: LockVerdict; woken: Woken }> {
  const { workspaceId, executionId, nodeId, iteration, maxHolders, timeoutMs } = request;
  const isOwn = Prisma.sql`l.execution_id = ${executionId}::uuid AND l.node_id = ${nodeId} AND l.iteration = ${iteration}`;
  return db.$transaction(async (tx) => {
    // An expression may give another key by now. The request that was made stands.
    const [earlier] = await tx.$queryRaw<{ key: string }[]>(Prisma.sql`SELECT l.key FROM run_locks l WHERE ${isOwn}`);
    const name: LockName = { workspaceId, key: earlier?.key ?? request.key };
    await lockKey(tx, name);
    const added = await tx.$executeRaw(Prisma.sql`/* locks.request */
      INSERT INTO run_locks (execution_id, node_id, iteration, workspace_id, key, max_holders, due_at)
      VALUES (${executionId}::uuid, ${nodeId}, ${iteration}, ${workspaceId}::uuid, ${name.key}, ${maxHolders},
        clock_timestamp() + ${timeoutMs}::float8 * interval '1 millisecond')
      ON CONFLICT (execution_id, node_id, iteration) DO NOTHING`);
    const granted = await grant(tx, name);
    const others = granted.filter((holder) => !isSame(holder, request));
    const [row] = await tx.$queryRaw<{ isAcquired: boolean; dueInMs: number | null }[]>(Prisma.sql`
      UPDATE run_locks l SET is_wake_pending = false WHERE ${isOwn}
      RETURNING l.acquired_at IS NOT NULL AS "isAcquired",
        extract(epoch FROM l.due_at - clock_timestamp())::float8 * 1000 AS "dueInMs"`);
    const woken = await wake(tx, others, {
      requester: added > 0 ? executionId : undefined,
      hasMore: granted.length === MAX_GRANTED,
    });
    if (row?.isAcquired === true) return { verdict: { kind: 'acquired' }, woken };
    const dueInMs = row?.dueInMs ?? null;
    if (dueInMs === null || dueInMs > 0) return { verdict: { kind: 'waiting', dueInMs }, woken };
    await tx.$executeRaw(Prisma.sql`DELETE FROM run_locks l WHERE ${isOwn}`);
    return { verdict: { kind: 'timedOut' }, woken };
  });
}

/** Releases the lock that a run holds, however often it acquired it, and gives it to those who wait. */
export function releaseLock(db: Database, executionId: string, name: LockName): Promise<Woken> {
  return db.$transaction(async (tx) => {
    await lockKey(tx, name);
    await tx.$executeRaw(Prisma.sql`/* locks.release */
      DELETE FROM run_locks l WHERE l.execution_id = ${executionId}::uuid AND l.workspace_id = ${name.workspaceId}::uuid
        AND l.key = ${name.key} AND l.acquired_at IS NOT NULL`);
    return grantAndWake(tx, name);
  });
}

/** Gives the locks of a run that has ended to those who wait for them. */
export async function freeLocksOf(db: Database, executionId: string): Promise<Woken> {
  const woken: ReleasedExecution[] = [];
  for (const name of await findLocksOf(db, [executionId])) woken.push(...(await freeLock(db, name)));
  return woken;
}

/** Finds the locks that runs hold or wait for. */
export function findLocksOf(db: Database, executionIds: readonly string[]): Promise<LockName[]> {
  return db.$queryRaw<LockName[]>(Prisma.sql`/* locks.find-of-runs */
    SELECT DISTINCT l.workspace_id AS "workspaceId", l.key FROM run_locks l
    WHERE l.execution_id = ANY (${[...executionIds]}::uuid[])`);
}

/** Finds runs whose locks others may have now. The cost depends on how many these are, not on all locks. */
export function findRunsWithChangedLocks(db: Database): Promise<ChangedRun[]> {
  // Served by executions_lock_changes.
  return db.$queryRaw<ChangedRun[]>(Prisma.sql`/* locks.find-changed */
    SELECT e.id AS "executionId", e.revision FROM executions e WHERE ${HAS_CHANGED} LIMIT ${MAX_CHANGED_RUNS}`);
}

/**
 * Notes that the locks of these runs, which were found before, were given to others.
 *
 * Races: a node of a run is cancelled meanwhile. That changes the run's revision, and the run is found again. A request
 * of a run that ends is committed meanwhile. The rows of the runs are locked first, as the request does: the second
 * statement sees it, and the run is found again.
 */
export function settleLocks(db: Database, runs: readonly ChangedRun[]): Promise<void> {
  const ids = runs.map(({ executionId }) => executionId);
  return db.$transaction(async (tx) => {
    await tx.$executeRaw(Prisma.sql`/* locks.lock-changed */
      SELECT 1 FROM executions e WHERE e.id = ANY (${ids}::uuid[]) AND ${HAS_CHANGED} ${LOCK_RUNS}`);
    await tx.$executeRaw(Prisma.sql`/* locks.settle */
      UPDATE executions e
      SET lock_state = CASE WHEN EXISTS (SELECT 1 FROM run_locks l WHERE l.execution_id = e.id) THEN 1 END
      FROM unnest(${ids}::uuid[], ${runs.map(({ revision }) => revision)}::int[]) AS g (id, revision)
      WHERE e.id = g.id AND ${HAS_CHANGED} AND (e.finished_at IS NOT NULL OR e.revision = g.revision)`);
  });
}

/**
 * Finds locks of which a holder has ended, or that somebody who waits could have, by reading all of them. For what no
 * run says: one that was deleted in the second of its end, or whose worker is of an earlier version.
 */
export function findFreeLocks(db: Database): Promise<LockName[]> {
  return db.$queryRaw<LockName[]>(Prisma.sql`/* locks.find-free */
    SELECT s.workspace_id AS "workspaceId", s.key FROM (
      SELECT l.workspace_id, l.key, l.seq, l.max_holders, ${IS_ALIVE} AS is_alive, ${IS_WAITING} AS is_waiting,
        l.acquired_at IS NOT NULL AS is_held, e.id IS NULL OR ${isFinished()} AS is_ended
      FROM run_locks l LEFT JOIN executions e ON e.id = l.execution_id
    ) s
    GROUP BY s.workspace_id, s.key
    HAVING bool_or(s.is_ended) OR count(*) FILTER (WHERE s.is_alive AND s.is_held)
      < (array_agg(s.max_holders ORDER BY s.seq) FILTER (WHERE s.is_alive AND s.is_waiting))[1]
    ORDER BY s.workspace_id, s.key LIMIT ${MAX_KEYS}`);
}

/** Forgets the requests of ended runs for a lock, and gives it to those who wait. */
export function freeLock(db: Database, name: LockName): Promise<Woken> {
  return db.$transaction(async (tx) => {
    await lockKey(tx, name);
    await tx.$executeRaw(Prisma.sql`/* locks.free */
      DELETE FROM run_locks l WHERE l.workspace_id = ${name.workspaceId}::uuid AND l.key = ${name.key}
        AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = l.execution_id AND ${isUnfinished()})`);
    return grantAndWake(tx, name);
  });
}

/** Wakes runs that got a lock before they rested. */
export function wakeHolders(db: Database): Promise<Woken> {
  return db.$transaction(async (tx) => {
    const holders = await tx.$queryRaw<Holder[]>(Prisma.sql`/* locks.find-unwoken */
      SELECT l.execution_id AS "executionId", l.node_id AS "nodeId", l.iteration FROM run_locks l
      WHERE l.is_wake_pending ORDER BY l.seq LIMIT ${MAX_WOKEN}`);
    return wake(tx, holders);
  });
}

/** Excludes all others that grant, release or time out this lock. Statements after it see what they did. */
function lockKey(tx: Queryable, { workspaceId, key }: LockName): Promise<void> {
  return lockNames(tx, [`lock ${workspaceId} ${key}`]);
}

/**
 * Gives the lock to those who wait, in their order: to each while the holders are fewer than its limit. The first that
 * cannot have it keeps its place, and all behind it wait. If more than MAX_GRANTED could have it, the others get it in
 * the next pass of maintenance, which finds one of these runs.
 */
function grant(tx: Queryable, { workspaceId, key }: LockName): Promise<Holder[]> {
  // Served by run_locks_workspace_id_key_seq_idx; runs are joined by primary key.
  const isOfKey = Prisma.sql`l.workspace_id = ${workspaceId}::uuid AND l.key = ${key}`;
  return tx.$queryRaw<Holder[]>(Prisma.sql`/* locks.grant */
    WITH held AS (
      SELECT count(*) AS count FROM run_locks l JOIN executions e ON e.id = l.execution_id
      WHERE ${isOfKey} AND l.acquired_at IS NOT NULL AND ${IS_ALIVE}
    ), waiting AS (
      SELECT f.execution_id, f.node_id, f.iteration, row_number() OVER (ORDER BY f.seq) AS place,
        min(f.max_holders) OVER (ORDER BY f.seq) AS max_holders
      FROM (
        SELECT l.* FROM run_locks l JOIN executions e ON e.id = l.execution_id
        WHERE ${isOfKey} AND ${IS_WAITING} AND ${IS_ALIVE}
        ORDER BY l.seq LIMIT ${MAX_GRANTED}
      ) f
    )
    UPDATE run_locks l SET acquired_at = clock_timestamp(), is_wake_pending = true
    FROM waiting w
    WHERE l.execution_id = w.execution_id AND l.node_id = w.node_id AND l.iteration = w.iteration
      AND (SELECT count FROM held) + w.place <= w.max_holders
    RETURNING l.execution_id AS "executionId", l.node_id AS "nodeId", l.iteration`);
}

async function grantAndWake(tx: Queryable, name: LockName): Promise<Woken> {
  const holders = await grant(tx, name);
  return wake(tx, holders, { hasMore: holders.length === MAX_GRANTED });
}

/**
 * Ends the rests of nodes that hold their lock now. One that has not begun its rest yet stays marked: maintenance wakes
 * it.
 * @param noted.requester a run that has requested a lock, so that maintenance knows. Its row is locked with the others.
 * @param noted.hasMore whether further runs may get the lock of the holders.
 */
async function wake(
  tx: Queryable,
  holders: readonly Holder[],
  { requester, hasMore = false }: { readonly requester?: string | undefined; readonly hasMore?: boolean } = {},
): Promise<Woken> {
  const ids = holders.map(({ executionId }) => executionId);
  const changed = hasMore ? ids.slice(0, 1) : [];
  const noted = requester === undefined ? changed : [requester, ...changed];
  if (ids.length > 0) {
    await tx.$executeRaw(Prisma.sql`/* locks.lock-runs */
      SELECT 1 FROM executions e WHERE e.id = ANY(${[...ids, ...noted]}::uuid[]) ${LOCK_RUNS}`);
  }
  if (noted.length > 0) {
    await tx.$executeRaw(Prisma.sql`/* locks.note */
      UPDATE executions e
      SET lock_state = CASE WHEN e.id = ANY (${changed}::uuid[]) THEN 2 ELSE coalesce(e.lock_state, 1) END,
        revision = e.revision + (e.id = ANY (${changed}::uuid[]))::int
      WHERE e.id = ANY (${noted}::uuid[])`);
  }
  if (ids.length === 0) return [];
  // A rest has the iteration of its node, and the attempts made. Served by the primary key.
  const ended = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* locks.end-rests */
    UPDATE waits w SET answered_at = statement_timestamp()
    FROM (
      SELECT o.execution_id, o.node_id, o.iteration FROM waits o
      JOIN unnest(${ids}::uuid[], ${holders.map(({ nodeId }) => nodeId)}::text[],
        ${holders.map(({ iteration }) => iteration)}::text[]) AS h(execution_id, node_id, iteration)
        ON h.execution_id = o.execution_id AND h.node_id = o.node_id AND split_part(o.iteration, '~', 1) = h.iteration
      WHERE o.answered_at IS NULL AND o.kind = 'time'
      ORDER BY o.execution_id, o.node_id, o.iteration FOR UPDATE OF o
    ) open
    WHERE w.execution_id = open.execution_id AND w.node_id = open.node_id AND w.iteration = open.iteration
    RETURNING w.execution_id AS id`);
  if (ended.length === 0) return [];
  return tx.$queryRaw<ReleasedExecution[]>(Prisma.sql`/* locks.wake */
    UPDATE executions e SET answers = e.answers + ended.count, revision = e.revision + 1, ${dispatchAgainIf(IS_RESTING)}
    FROM (SELECT id, count(*)::int AS count FROM unnest(${ended.map(({ id }) => id)}::uuid[]) AS id GROUP BY id) ended
    WHERE e.id = ended.id AND ${isUnfinished()}
    RETURNING ${dispatchedIf(IS_RESTING)}`);
}

function isSame(a: Holder, b: Holder): boolean {
  return a.executionId === b.executionId && a.nodeId === b.nodeId && a.iteration === b.iteration;
}
