import { concurrencyOf, debounceOf } from '@deckhand/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { limitLockWaits } from '../../advisory-locks.ts';
import { acceptApart, startWithinKey, unlessLimitReached } from '../../concurrency/keys.ts';
import { queryWithRawParameters } from '../../connection.ts';
import { isLockTimeout, isStoreUnavailable } from '../../store-errors.ts';
import { joinPending } from './debounce.ts';
import {
  type Accepted,
  type AcceptRequest,
  type AcceptVerdict,
  type AddWorkflowKey,
  admitted,
  insertion,
  isAccepted,
  toVerdict,
  verdictColumns,
  type VerdictRow,
} from './admission.ts';

/** Delay before a write is tried again, in ms. */
const RETRY_DELAY_MS = 100;

/**
 * Accepts runs: those with a limit by a key one by one, all others in one statement.
 * @returns a verdict for each request, in their order.
 */
export function acceptExecutions(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  return acceptApart(requests, ({ options }) => options, {
    together: (plain) => acceptBatch(db, plain),
    alone: (keyed) => acceptKeyed(db, keyed),
  });
}

/** A start that would wait too long for a lock of its key: it wrote nothing. */
export interface Busy {
  readonly kind: 'busy';
}

/**
 * Accepts runs as `acceptExecutions` does, but no start with a key waits longer than `maxWaitMs` for a lock. Those of
 * the same key behind it do not try.
 */
export function acceptUnlessBusy(
  db: Database,
  requests: readonly AcceptRequest[],
  maxWaitMs: number,
): Promise<(AcceptVerdict | Busy)[]> {
  const busyKeys = new Set<string>();
  return acceptApart<AcceptRequest, AcceptVerdict | Busy>(requests, ({ options }) => options, {
    together: (plain) => acceptBatch(db, plain),
    alone: async (keyed) => {
      const { workflowId, options } = keyed;
      const keys = [debounceOf(options)?.key, concurrencyOf(options)?.key].flatMap((key, kind) =>
        key === undefined ? [] : [`${workflowId} ${kind} ${key}`],
      );
      if (keys.some((key) => busyKeys.has(key))) return { kind: 'busy' };
      try {
        return await acceptKeyed(db, keyed, maxWaitMs);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        for (const key of keys) busyKeys.add(key);
        return { kind: 'busy' };
      }
    },
  });
}

/**
 * Accepts a run within the limit of its key, or joins it with an earlier one.
 * @param maxWaitMs how long it waits for a lock; undefined for as long as any statement.
 */
function acceptKeyed(db: Database, request: AcceptRequest, maxWaitMs?: number): Promise<AcceptVerdict> {
  const attempt = (): Promise<AcceptVerdict> =>
    withinKey<AcceptVerdict>(
      db,
      request,
      async (tx, { request: planned, into, isLanded }) => {
        const landed = isLanded ? await findLanded(tx, [planned.executionId]) : undefined;
        const workspaceId = landed?.get(planned.executionId);
        if (workspaceId !== undefined) return { kind: 'accepted', workspaceId, run: null };
        const [verdict] = await insertAdmitted(tx, [planned], into);
        return verdict ?? { kind: 'notFound' };
      },
      maxWaitMs,
    );
  if (maxWaitMs !== undefined) return attempt();
  // After an ambiguous error, a second attempt finds the run under the lock of its key.
  return retryOnce(attempt, attempt);
}

/** How a request with a key is accepted. */
export interface KeyedAcceptance {
  /** The request, with the start time that follows from debouncing. */
  readonly request: AcceptRequest;
  /** The earlier run that it is joined with: only the verdict is needed, nothing is inserted. */
  readonly into: string | undefined;
  /** Whether an earlier attempt has written the run. */
  readonly isLanded: boolean;
}

/**
 * Accepts a run as `accept` does, within the limit of its key and debounced, if it asks for that, in one transaction.
 */
export async function withinKey<V extends { readonly kind: string }>(
  db: Database,
  request: AcceptRequest,
  accept: (tx: Queryable, how: KeyedAcceptance) => Promise<V | Accepted>,
  maxWaitMs?: number,
): Promise<V | Accepted | { readonly kind: 'limitReached' }> {
  const debounce = debounceOf(request.options);
  return unlessLimitReached(() =>
    db.$transaction(async (tx) => {
      if (maxWaitMs !== undefined) await limitLockWaits(tx, maxWaitMs);
      return debounce ? joinPending(tx, request, debounce, start) : start(tx, { request, into: undefined });
    }),
  );

  async function start(tx: Queryable, how: Omit<KeyedAcceptance, 'isLanded'>): Promise<V | Accepted> {
    const { executionId, workflowId, options } = how.request;
    const concurrency = concurrencyOf(options);
    // A run that the start is joined with was accepted within its key.
    if (!concurrency || how.into !== undefined) return accept(tx, { ...how, isLanded: false });
    const result = await startWithinKey(
      tx,
      { executionId, workflowId, concurrency },
      (same, isLanded) => accept(same, { ...how, isLanded }),
      isAccepted,
    );
    if (result.kind !== 'accepted' || !isAccepted(result.verdict)) return result.verdict;
    return { ...result.verdict, underKey: result.start };
  }
}

/**
 * Checks and inserts a batch of runs in one statement. If the connection breaks, the batch is tried once more. A run
 * that the first attempt wrote counts as accepted, whatever has changed since.
 * @returns a verdict for each request, in their order.
 */
async function acceptBatch(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  return retryOnce(
    () => insertAdmitted(db, requests),
    async () => {
      const verdicts = await insertAdmitted(db, requests);
      const landed = await findLanded(
        db,
        requests.map(({ executionId }) => executionId),
      );
      return requests.map(({ executionId }, index) => {
        const workspaceId = landed.get(executionId);
        if (workspaceId === undefined) return verdicts[index] ?? { kind: 'notFound' };
        return { kind: 'accepted', workspaceId, run: null };
      });
    },
  );
}

/**
 * Checks and inserts a batch of runs in one statement.
 * @param into a run that the requests are joined with: they are only checked.
 * @returns a verdict for each request, in their order.
 */
async function insertAdmitted(
  db: Queryable,
  requests: readonly AcceptRequest[],
  into?: string,
): Promise<AcceptVerdict[]> {
  // Most verdicts of a batch differ only in the id of their run: one row for all costs less than one row each.
  const groups = await queryWithRawParameters<(VerdictRow & { ids: string })[]>(
    db,
    Prisma.sql`/* executions.accept */
    WITH admitted AS (${admitted(requests)}), ${insertion(into === undefined ? Prisma.sql`verdict = 'accepted'` : Prisma.sql`false`)}
    SELECT string_agg(a.id::text, ',') AS ids, ${verdictColumns} FROM admitted a
    GROUP BY a.verdict, a.workspace_id, a.executions_per_minute, a.version_id, a.start_node_id, a.deadline_at, a.is_limited, a.is_delayed,
      a.workflow_concurrency`,
  );
  const verdicts = new Map<string, AcceptVerdict>();
  for (const { ids, ...row } of groups) {
    const verdict = toVerdict(row);
    for (const id of ids.split(',')) verdicts.set(id, verdict);
  }
  return requests.map(({ executionId }) => verdicts.get(executionId) ?? { kind: 'notFound' });
}

/** For how long one call finds keys, in ms: its transaction holds locks meanwhile. */
const MAX_KEYS_MS = 1_000;

/**
 * Does the same, and gives runs the keys by which their workflows limit them. As someone or something wants these very
 * runs, they wait until they have a slot, whatever the workflow does with others.
 * @returns with the verdict `needsKey`, requests that are left to a later call, because finding keys takes too long.
 */
export async function insertWithKeys(
  tx: Queryable,
  requests: readonly AcceptRequest[],
  addKey: AddWorkflowKey,
): Promise<AcceptVerdict[]> {
  const done: AcceptVerdict[] = requests.map(() => ({ kind: 'notFound' }));
  let left = requests.map((request, index) => ({ request, index }));
  while (left.length > 0) {
    const verdicts = await insertAdmitted(
      tx,
      left.map(({ request }) => request),
    );
    const again: typeof left = [];
    const until = performance.now() + MAX_KEYS_MS;
    for (const [position, { request, index }] of left.entries()) {
      const verdict = verdicts[position];
      // One at least, so that repeated calls come to an end.
      if (verdict?.kind === 'needsKey' && (again.length === 0 || performance.now() < until)) {
        again.push({ request: { ...request, options: await addKey(request, verdict.concurrency) }, index });
      } else if (verdict) {
        done[index] = verdict;
      }
    }
    left = again;
  }
  return done;
}

/** Returns the workspaces of the runs that exist, by the runs' ids. */
export async function findLanded(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.$queryRaw<{ id: string; workspaceId: string }[]>`
    SELECT id, workspace_id AS "workspaceId" FROM executions WHERE id = ANY (${ids}::uuid[])`;
  return new Map(rows.map(({ id, workspaceId }) => [id, workspaceId]));
}

/**
 * Tries a write of a request once more if it failed for a reason that may pass. The caller gets the second failure.
 * @param again has to allow for a first attempt that succeeded although its response was lost.
 */
export async function retryOnce<T>(first: () => Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await first();
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
  }
  await sleep(RETRY_DELAY_MS);
  return again();
}
