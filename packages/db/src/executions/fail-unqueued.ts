import { ERRORS } from '@deckhand/contracts';
import { type Database, Prisma } from '../client.js';
import { endRuns } from './run-status.js';

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
  const failed = await endRuns(db, ids, {
    event: 'queueFailed',
    error: Prisma.sql`${QUEUE_ERROR}`,
    condition: Prisma.sql`e.claimed_dispatch = 0`,
  });
  return new Set(failed);
}
