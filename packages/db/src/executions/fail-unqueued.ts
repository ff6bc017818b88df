import { ERRORS, EXECUTION_TRANSITIONS } from '@deckhand/contracts';
import type { Database } from '../client.js';

/** The recorded error of a run whose job could not be added. */
const QUEUE_ERROR = JSON.stringify({
  message: ERRORS.QUEUE_UNAVAILABLE.message,
  nodeId: null,
  code: 'QUEUE_UNAVAILABLE',
});

/**
 * Marks new runs as failed because adding their jobs failed. That failure is ambiguous (the job may have arrived though
 * its answer did not), so a run that a worker has claimed meanwhile is left alone: it was queued after all.
 * @returns those that are failed now; the others go on.
 */
export async function failUnqueuedExecutions(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH failed AS (
      UPDATE executions
      SET status = 'failed', error = ${QUEUE_ERROR}, finished_at = now(), epoch = epoch + 1, revision = revision + 1
      WHERE id = ANY (${ids}::uuid[]) AND claimed_dispatch = 0
        AND status = ANY (${[...EXECUTION_TRANSITIONS.queueFailed.from]}::execution_status[])
      RETURNING id
    )
    INSERT INTO unindexed_executions (execution_id) SELECT id FROM failed RETURNING execution_id AS id`;
  return new Set(rows.map((row) => row.id));
}
