import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, Prisma, type Queryable } from '../client.js';
import { queryWithRawParameters } from '../raw-parameters.js';
import { isStoreUnavailable } from '../store-errors.js';
import {
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
 * Checks and inserts a batch of runs in one statement. If the connection breaks, the batch is tried once more. A run
 * that the first attempt wrote counts as accepted, whatever has changed since.
 * @returns a verdict for each request, in their order.
 */
export async function acceptExecutions(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
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
async function findLanded(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
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
