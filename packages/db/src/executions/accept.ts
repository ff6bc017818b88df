import { type Database, Prisma } from '../client.js';
import { retryOnce } from '../unavailable.js';
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
 * Judges and inserts a batch of runs in one statement. When the connection breaks the batch is tried once more; a run that
 * had landed counts as accepted, whatever changed since.
 * @returns a verdict per request, in their order.
 */
export async function acceptExecutions(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  return retryOnce(
    () => insertJudged(db, requests),
    async () => {
      const verdicts = await insertJudged(db, requests);
      const refused = requests.filter((_, index) => verdicts[index] !== 'accepted');
      const landed = await findLanded(
        db,
        refused.map(({ executionId }) => executionId),
      );
      return requests.map(({ executionId }, index) =>
        landed.has(executionId) ? 'accepted' : (verdicts[index] ?? 'notFound'),
      );
    },
  );
}

/** Only refusals come back, so that the common case reads no rows. */
async function insertJudged(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  const refusals = await db.$queryRaw<VerdictRow[]>(Prisma.sql`/* executions.accept */
    WITH judged AS (${judged(requests)}), ${insertion(Prisma.sql`verdict = 'accepted'`)}
    SELECT ${verdictColumns} FROM judged j WHERE j.verdict <> 'accepted'`);
  const verdicts = new Map(refusals.map((row) => [row.id, toVerdict(row)]));
  return requests.map(({ executionId }) => verdicts.get(executionId) ?? 'accepted');
}

async function findLanded(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.$queryRaw<{ id: string }[]>`SELECT id FROM executions WHERE id = ANY (${ids}::uuid[])`;
  return new Set(rows.map((row) => row.id));
}
