import { runError } from '@deckhand/contracts';
import { type Database, Prisma } from '../../client.ts';
import { endRuns } from '../run-status.ts';

/** The recorded error of a run whose job could not be added. */
const QUEUE_ERROR = JSON.stringify(runError('QUEUE_UNAVAILABLE'));

const BLOCKED_WORKER = JSON.stringify(runError('RUN_BLOCKED_WORKER'));

/**
 * Fails a run that has occupied a worker's event loop for `blockedMs`, whichever worker holds it now. It does not
 * change a run that has finished a node since then, and so continues elsewhere, or that ended, was paused or waits for
 * a person. May be repeated. @returns whether it failed the run.
 */
export function failBlockedRun(
  db: Database,
  { executionId, blockedMs }: { readonly executionId: string; readonly blockedMs: number },
): Promise<boolean> {
  const since = Prisma.sql`now() - ${blockedMs}::float8 * interval '1 millisecond'`;
  const condition = Prisma.sql`
    NOT EXISTS (SELECT FROM node_runs n WHERE n.execution_id = e.id AND n.finished_at > ${since})
    AND NOT EXISTS (SELECT FROM node_iterations n WHERE n.execution_id = e.id AND n.finished_at > ${since})`;
  return db.$transaction(async (tx) => {
    // A run that no checkpoint has claimed yet is still pending.
    for (const event of ['fail', 'queueFailed'] as const) {
      const ended = await endRuns(tx, [executionId], { event, error: Prisma.sql`${BLOCKED_WORKER}`, condition });
      if (ended.length > 0) return true;
    }
    return false;
  });
}

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
