import type { ExecutionStatus } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** The result of a run, or its status so far. */
export interface ExecutionResult {
  readonly status: ExecutionStatus;
  /** Serialised `{ body, statusCode, headers }` of the Terminal node; null without one. */
  readonly resultJson: string | null;
}

/** Reads the results of many runs, for callers that wait for them; undefined for a run that was deleted. */
export async function readResults(db: Database, ids: readonly string[]): Promise<(ExecutionResult | undefined)[]> {
  const rows = await db.$queryRaw<(ExecutionResult & { id: string })[]>`/* executions.read-results */
    SELECT id, status::text AS status, result AS "resultJson" FROM executions WHERE id = ANY (${[...ids]}::uuid[])`;
  const found = new Map(rows.map(({ id, ...result }) => [id, result]));
  return ids.map((id) => found.get(id));
}
