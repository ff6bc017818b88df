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
 * Marks new runs as failed because adding their jobs failed. That failure is ambiguous: a job may have arrived although
 * its response was lost. So a run that a worker has claimed in the meantime is not changed.
 * @returns those that are failed now; the others continue.
 */
export async function failUnqueuedExecutions(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const failed = await endRuns(db, ids, {
    event: 'queueFailed',
    error: Prisma.sql`${QUEUE_ERROR}`,
    condition: Prisma.sql`e.claimed_dispatch = 0`,
  });
  return new Set(failed);
}
