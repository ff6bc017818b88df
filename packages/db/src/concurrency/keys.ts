import { type Concurrency, concurrencyOf, debounceOf } from '@deckhand/contracts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import type { DispatchedExecution } from '../executions/claim/reconcile.ts';
import { DISPATCH_AGAIN, DISPATCHED, IS_RESTING, isUnfinished, mayBegin } from '../executions/run-status.ts';
import { stopRunsById } from '../executions/end/stop.ts';
import { LOCK_RUNS } from '../lock-order.ts';
import { limitLockWaits, lockNames } from '../advisory-locks.ts';
import { isLockTimeout } from '../store-errors.ts';

/*
 * Limits of concurrent runs by a key that the caller chooses. A run with a key rests when it is accepted, as if its
 * dispatch were claimed, so no kind of claim can begin it. Runs of a key are ordered by their acceptance: the id of a
 * child has the time of its parent. Whoever gives it a slot (`holds_key`) dispatches it by the same statement, under
 * the lock of the key. It holds the slot to its end, also while it rests or changes workers: a slot is an unfinished
 * run, not a counter that has to be given back. So every exit frees it.
 */

/** A key under which runs are limited. */
export interface RunKey {
  readonly workflowId: string;
  readonly key: string;
}

/** A run with a limit by a key that is being accepted. */
export interface KeyedRun {
  readonly executionId: string;
  readonly workflowId: string;
  readonly concurrency: Required<Concurrency>;
  /** The run whose node starts it. */
  readonly parentId?: string;
}

/** What the start of such a run did. */
export interface KeyedStart {
  /** Runs that have a slot now, perhaps this one: the caller queues their jobs. */
  readonly dispatched: readonly DispatchedExecution[];
  /** Ids of runs that were stopped for this one: the caller notifies their workers. */
  readonly stopped: readonly string[];
}

/** The result of accepting a run within its key. */
export type KeyedVerdict<V> =
  | { readonly kind: 'accepted'; readonly verdict: V; readonly start: KeyedStart }
  | { readonly kind: 'refused'; readonly verdict: V };

/** Maximum number of waiting runs of a key that one statement dispatches. */
const MAX_DISPATCHED = 1_000;
/** Maximum number of runs that a start stops. There are more than the limit only after starts with other options. */
const MAX_STOPPED = 500;

/** Condition: the run `e` counts as a run of a key. It has the wording of the index executions_key_order. */
const HAS_KEY = Prisma.sql`e.concurrency_key IS NOT NULL AND ${isUnfinished()}`;

/** Condition: the run `e` waits for a slot. A delayed run does not wait before its time, nor does an expired one. */
const WAITS_FOR_KEY = Prisma.sql`NOT e.holds_key AND ${HAS_KEY} AND ${IS_RESTING} AND e.wake_at IS NULL
  AND e.claimed_dispatch = e.dispatch AND ${mayBegin()}`;

/** Locks keys until the transaction ends. Read their runs in a later statement: this one's snapshot can be older. */
function lockKeys(tx: Queryable, keys: readonly RunKey[]): Promise<void> {
  return lockNames(
    tx,
    keys.map(({ workflowId, key }) => `key of ${workflowId} ${key}`),
  );
}

/** Rolls a transaction back whose run would be one too many. */
class LimitReached extends Error {}

/**
 * Runs a transaction that calls `startWithinKey`. With `limitReached`, it wrote nothing.
 * @param maxWaitMs how long a statement waits for a lock, in ms; by default as long as the session allows.
 * @throws an error of `isLockTimeout` if it would wait longer: it wrote nothing.
 */
export async function startInTransaction<T>(
  db: Database,
  start: (tx: Queryable) => Promise<T>,
  maxWaitMs?: number,
): Promise<T | { readonly kind: 'limitReached' }> {
  try {
    return await db.$transaction(async (tx) => {
      if (maxWaitMs !== undefined) await limitLockWaits(tx, maxWaitMs);
      return start(tx);
    });
  } catch (error) {
    if (error instanceof LimitReached) return { kind: 'limitReached' };
    throw error;
  }
}

/**
 * Starts a run with a limit by a key: with `reject` it is accepted only below the limit, with `cancelOldest` the oldest
 * unfinished runs of the key are stopped, and it gets a slot if one is free.
 *
 * Race: two starts that count the same runs, or a start and a freed slot. All of them lock the key and count after the
 * lock. A run that ends meanwhile only frees a slot more.
 * @param accept writes the run; `isLanded` says that an earlier attempt has written it.
 * @param isAccepted whether the verdict says that the run exists.
 * @throws LimitReached, so that the transaction is rolled back.
 */
export async function startWithinKey<V>(
  tx: Queryable,
  run: KeyedRun,
  accept: (isLanded: boolean) => Promise<V>,
  isAccepted: (verdict: V) => boolean,
): Promise<KeyedVerdict<V>> {
  const { limit, onLimit } = run.concurrency;
  const key = { workflowId: run.workflowId, key: run.concurrency.key };
  await lockKeys(tx, [key]);
  const { isLanded, others } = await readOthers(tx, run);
  const isOver = others.length >= limit && !isLanded;
  // The new run counts, too: as many remain that it makes them the limit.
  const oldest = isOver && onLimit === 'cancelOldest' ? others.slice(0, others.length - limit + 1) : [];
  await lockInOrder(tx, oldest, run.parentId);
  const verdict = await accept(isLanded);
  if (!isAccepted(verdict)) return { kind: 'refused', verdict };
  if (isOver && onLimit === 'reject') throw new LimitReached();
  const stopped = oldest.length === 0 ? [] : await stopRunsById(tx, oldest);
  return { kind: 'accepted', verdict, start: { stopped, dispatched: await dispatchWaiting(tx, [key]) } };
}

/** The start would have waited too long for a lock of its key: it wrote nothing. */
export interface Busy {
  readonly kind: 'busy';
}

/** Has a start written, unless it is busy. */
export type UnlessBusy = <V>(
  start: { readonly workflowId: string; readonly options?: string | undefined },
  write: () => Promise<V>,
) => Promise<V | Busy>;

/** Creates a function that remembers the keys of busy starts: others of the same key are busy without a try. */
export function createBusyKeys(): UnlessBusy {
  const busy = new Set<string>();
  return async ({ workflowId, options }, write) => {
    const keys = [debounceOf(options)?.key, concurrencyOf(options)?.key].flatMap((key, kind) =>
      key === undefined ? [] : [`${workflowId} ${kind} ${key}`],
    );
    if (keys.some((key) => busy.has(key))) return { kind: 'busy' };
    try {
      return await write();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      for (const key of keys) busy.add(key);
      return { kind: 'busy' };
    }
  };
}

/** Reads the unfinished runs of a run's key, the oldest first: the others, unless it landed. */
async function readOthers(
  tx: Queryable,
  { executionId, workflowId, concurrency: { key, limit, onLimit } }: KeyedRun,
): Promise<{ isLanded: boolean; others: readonly string[] }> {
  // Who queues counts nobody. Served by executions_key_order.
  const max = { queue: 0, reject: limit, cancelOldest: MAX_STOPPED + limit }[onLimit];
  const [row] = await tx.$queryRaw<{ isLanded: boolean; others: string[] }[]>(Prisma.sql`/* concurrency.read-key */
    SELECT EXISTS (SELECT 1 FROM executions e WHERE e.id = ${executionId}::uuid) AS "isLanded", ARRAY(
      SELECT e.id FROM executions e
      WHERE e.holds_key = ANY ('{true,false}') AND ${HAS_KEY} AND e.workflow_id = ${workflowId}::uuid
        AND e.concurrency_key = ${key}
      ORDER BY e.created_at, e.id LIMIT ${max}
    )::text[] AS others`);
  return row ?? { isLanded: false, others: [] };
}

/** Locks the runs to stop, and the parent that the statement of acceptance locks, in their order. */
async function lockInOrder(tx: Queryable, oldest: readonly string[], parentId: string | undefined): Promise<void> {
  if (oldest.length === 0) return;
  const ids = parentId === undefined ? [...oldest] : [...oldest, parentId];
  await tx.$executeRaw(Prisma.sql`/* concurrency.lock-oldest */
    SELECT 1 FROM executions e WHERE e.id = ANY(${ids}::uuid[]) ${LOCK_RUNS}`);
}

/**
 * Gives the free slots of keys to the runs that wait for them, in the order of acceptance, and dispatches these. Nobody
 * overtakes: a run that waits for fewer others to be in progress holds back those behind it.
 */
export function releaseKeys(db: Database, keys: readonly RunKey[]): Promise<DispatchedExecution[]> {
  return db.$transaction(async (tx) => {
    await lockKeys(tx, keys);
    return dispatchWaiting(tx, keys);
  });
}

/** Dispatches waiting runs of keys that this transaction has locked. Served by executions_key_order. */
function dispatchWaiting(tx: Queryable, keys: readonly RunKey[]): Promise<DispatchedExecution[]> {
  return tx.$queryRaw<DispatchedExecution[]>(Prisma.sql`/* concurrency.dispatch-waiting */
    WITH admitted AS (
      SELECT q.id FROM unnest(
        ${keys.map(({ workflowId }) => workflowId)}::uuid[], ${keys.map(({ key }) => key)}::text[]
      ) AS k (workflow_id, key)
      CROSS JOIN LATERAL (
        SELECT count(*) AS runs FROM executions e
        WHERE e.holds_key AND ${HAS_KEY} AND e.workflow_id = k.workflow_id AND e.concurrency_key = k.key
      ) held
      CROSS JOIN LATERAL (
        SELECT w.id, bool_and(held.runs + w.position <= w.concurrency_limit) OVER (ORDER BY w.position) AS is_admitted
        FROM (
          SELECT e.id, e.concurrency_limit, row_number() OVER (ORDER BY e.created_at, e.id) AS position FROM executions e
          WHERE ${WAITS_FOR_KEY} AND e.workflow_id = k.workflow_id AND e.concurrency_key = k.key
          ORDER BY e.created_at, e.id LIMIT ${MAX_DISPATCHED}
        ) w
      ) q
      WHERE q.is_admitted
    ), locked AS (
      SELECT e.id FROM executions e WHERE e.id IN (SELECT id FROM admitted) AND ${WAITS_FOR_KEY} ${LOCK_RUNS}
    )
    UPDATE executions e SET holds_key = true, revision = e.revision + 1, ${DISPATCH_AGAIN}
    FROM locked WHERE e.id = locked.id
    RETURNING ${DISPATCHED}`);
}

/** A key after which a search continues. */
export const NO_KEY: RunKey = { workflowId: '00000000-0000-0000-0000-000000000000', key: '' };

/**
 * Finds keys that have waiting runs, and fewer runs in progress than the oldest of these allows, in the order of
 * workflows and keys after the given one. Nothing is locked: `releaseKeys` counts again.
 */
export async function findKeysToRelease(
  db: Database,
  after: RunKey,
  limit: number,
): Promise<{ readonly keys: readonly RunKey[]; readonly last: RunKey | undefined }> {
  // Served by executions_key_order, by a skip scan over keys with waiting runs.
  const next = (than: Prisma.Sql): Prisma.Sql => Prisma.sql`
    SELECT e.workflow_id, e.concurrency_key, e.concurrency_limit FROM executions e
    WHERE ${WAITS_FOR_KEY} AND (e.workflow_id, e.concurrency_key) > (${than})
    ORDER BY e.workflow_id, e.concurrency_key, e.created_at, e.id LIMIT 1`;
  const rows = await db.$queryRaw<(RunKey & { isFree: boolean })[]>(Prisma.sql`/* concurrency.find-keys */
    WITH RECURSIVE found AS (
      (${next(Prisma.sql`${after.workflowId}::uuid, ${after.key}::text`)})
      UNION ALL
      SELECT n.* FROM found f CROSS JOIN LATERAL (${next(Prisma.sql`f.workflow_id, f.concurrency_key`)}) n
    )
    SELECT f.workflow_id AS "workflowId", f.concurrency_key AS key, f.concurrency_limit > (
      SELECT count(*) FROM executions e
      WHERE e.holds_key AND ${HAS_KEY} AND e.workflow_id = f.workflow_id AND e.concurrency_key = f.concurrency_key
    ) AS "isFree"
    FROM (SELECT * FROM found LIMIT ${limit}) f`);
  return {
    keys: rows.flatMap(({ isFree, workflowId, key }) => (isFree ? [{ workflowId, key }] : [])),
    last: rows.at(-1),
  };
}
