import { queryWithRawParameters } from '../raw-parameters.js';
import { type Database, Prisma } from '../client.js';
import { retryOnce } from '../retry-once.js';
import {
  type AcceptRequest,
  type AcceptVerdict,
  insertion,
  judged,
  toVerdict,
  verdictColumns,
  type VerdictRow,
} from './judge.js';

/**
 * Judges and inserts a batch of runs in one statement. When the connection breaks the batch is tried once more; a run
 * that had landed counts as accepted, whatever changed since.
 * @returns a verdict per request, in their order.
 */
export async function acceptExecutions(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  return retryOnce(
    () => insertJudged(db, requests),
    async () => {
      const verdicts = await insertJudged(db, requests);
      const landed = await findLanded(
        db,
        requests.map(({ executionId }) => executionId),
      );
      return requests.map(({ executionId }, index) => {
        const workspaceId = landed.get(executionId);
        if (workspaceId === undefined) return verdicts[index] ?? 'notFound';
        return { kind: 'accepted', workspaceId, run: null };
      });
    },
  );
}

async function insertJudged(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  // Most runs of a batch share all but their ids: one row for them costs less than one each.
  const groups = await queryWithRawParameters<(VerdictRow & { ids: string })[]>(
    db,
    Prisma.sql`/* executions.accept */
    WITH judged AS (${judged(requests)}), ${insertion(Prisma.sql`verdict = 'accepted'`)}
    SELECT string_agg(j.id::text, ',') AS ids, ${verdictColumns} FROM judged j
    GROUP BY j.verdict, j.workspace_id, j.executions_per_minute, j.version_id, j.start_node_id, j.deadline_at, j.is_limited`,
  );
  const verdicts = new Map<string, AcceptVerdict>();
  for (const { ids, ...row } of groups) {
    const verdict = toVerdict(row);
    for (const id of ids.split(',')) verdicts.set(id, verdict);
  }
  return requests.map(({ executionId }) => verdicts.get(executionId) ?? 'notFound');
}

/** Which runs are there, with their workspaces. */
async function findLanded(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.$queryRaw<{ id: string; workspaceId: string }[]>`
    SELECT id, workspace_id AS "workspaceId" FROM executions WHERE id = ANY (${ids}::uuid[])`;
  return new Map(rows.map(({ id, workspaceId }) => [id, workspaceId]));
}
