import type { UNFINISHED_STATUSES } from '@deckhand/contracts';
import type { Database } from '../client.js';
import { isUnfinished } from '../executions/run-status.js';

/** A status of an unfinished run. */
type UnfinishedStatus = (typeof UNFINISHED_STATUSES)[number];

/** Counts the unfinished runs of all workspaces by status. Its cost depends on the number of unfinished runs only. */
export async function countUnfinished(db: Database): Promise<Record<UnfinishedStatus, number>> {
  // Served by executions_deadline, which contains only unfinished runs.
  const rows = await db.$queryRaw<{ status: UnfinishedStatus; runs: number }[]>`
    SELECT e.status::text, count(*)::int AS runs FROM executions e WHERE ${isUnfinished()} GROUP BY e.status`;
  const counts = new Map(rows.map(({ status, runs }) => [status, runs]));
  const count = (status: UnfinishedStatus): number => counts.get(status) ?? 0;
  return {
    pending: count('pending'),
    running: count('running'),
    paused: count('paused'),
    waiting_for_input: count('waiting_for_input'),
    waiting_for_human: count('waiting_for_human'),
  };
}
