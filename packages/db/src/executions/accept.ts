import { concurrencyOf } from '@deckhand/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, Prisma, type Queryable } from '../client.js';
import { acceptApart, acceptWithinKey } from '../concurrency/keys.js';
import { queryWithRawParameters } from '../raw-parameters.js';
import { isStoreUnavailable } from '../store-errors.js';
import {
  type Accepted,
  type AcceptRequest,
  type AcceptVerdict,
  admitted,
  insertion,
  toVerdict,
  verdictColumns,
  type VerdictRow,
} from './admission.js';

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

/** Accepts a run within the limit of its key. */
function acceptKeyed(db: Database, request: AcceptRequest): Promise<AcceptVerdict> {
  const attempt = (): Promise<AcceptVerdict> =>
    withinKey(db, request, async (tx, isLanded): Promise<AcceptVerdict> => {
      const landed = isLanded ? await findLanded(tx, [request.executionId]) : undefined;
      const workspaceId = landed?.get(request.executionId);
      if (workspaceId !== undefined) return { kind: 'accepted', workspaceId, run: null };
      const [verdict] = await insertAdmitted(tx, [request]);
      return verdict ?? { kind: 'notFound' };
    });
  // After an ambiguous error, a second attempt finds the run under the lock of its key.
  return retryOnce(attempt, attempt);
}

/** Accepts a run as `accept` does, within the limit of its key if it has one. */
export async function withinKey<V extends { readonly kind: string }>(
  db: Database,
  { executionId, workflowId, options }: Pick<AcceptRequest, 'executionId' | 'workflowId' | 'options'>,
  accept: (tx: Queryable, isLanded: boolean) => Promise<V | Accepted>,
): Promise<V | Accepted | { readonly kind: 'limitReached' }> {
  const concurrency = concurrencyOf(options);
  if (!concurrency) return accept(db, false);
  const result = await acceptWithinKey(db, { executionId, workflowId, concurrency }, accept, isAccepted);
  if (result.kind !== 'accepted') return result.kind === 'refused' ? result.verdict : result;
  return isAccepted(result.verdict) ? { ...result.verdict, underKey: result.start } : result.verdict;
}

function isAccepted(verdict: { readonly kind: string } | Accepted): verdict is Accepted {
  return verdict.kind === 'accepted';
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

/** Checks and inserts a batch of runs in one statement. @returns a verdict for each request, in their order. */
export async function insertAdmitted(db: Queryable, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  // Most verdicts of a batch differ only in the id of their run: one row for all costs less than one row each.
  const groups = await queryWithRawParameters<(VerdictRow & { ids: string })[]>(
    db,
    Prisma.sql`/* executions.accept */
    WITH admitted AS (${admitted(requests)}), ${insertion(Prisma.sql`verdict = 'accepted'`)}
    SELECT string_agg(a.id::text, ',') AS ids, ${verdictColumns} FROM admitted a
    GROUP BY a.verdict, a.workspace_id, a.executions_per_minute, a.version_id, a.start_node_id, a.deadline_at, a.is_limited, a.is_delayed`,
  );
  const verdicts = new Map<string, AcceptVerdict>();
  for (const { ids, ...row } of groups) {
    const verdict = toVerdict(row);
    for (const id of ids.split(',')) verdicts.set(id, verdict);
  }
  return requests.map(({ executionId }) => verdicts.get(executionId) ?? { kind: 'notFound' });
}

/** Returns the workspaces of the runs that exist, by the runs' ids. */
async function findLanded(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
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
