import { canMove, DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import { type Database, Prisma } from '../client.ts';
import { lockExecution } from './lock.ts';
import type { DispatchedExecution } from './reconcile.ts';
import { LACKS_KEY } from './run-status.ts';

/**
 * Pauses an unfinished run: nodes in progress finish and are stored, and no further node starts. The caller notifies
 * the worker that holds it; if that notification is lost, its next checkpoint reports the pause.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or INVALID_STATE when it is finished or paused already.
 */
export function pauseExecution(db: Database, actor: Actor, executionId: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const { status } = await lockExecution(tx, actor, executionId);
    if (!canMove(status, 'pause')) {
      throw new DeckhandError('INVALID_STATE', { message: `The run cannot be paused: it is ${status}` });
    }
    await tx.$executeRaw(Prisma.sql`
      UPDATE executions SET status = 'paused', revision = revision + 1 WHERE id = ${executionId}::uuid`);
  });
}

/** Whether the run `e` has not begun because the time of its start has not come. */
const STARTS_LATER = Prisma.sql`(e.started_at IS NULL AND coalesce(e.start_at > now(), false))`;

/**
 * Resumes a paused run where it stopped.
 * @returns the dispatch to be queued; undefined if a worker still holds the run, which then has to be notified, and if
 * the run is delayed or waits for a slot of its key: it rests until its time has come, or until it has one.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or INVALID_STATE when nobody paused it.
 */
export function resumeExecution(
  db: Database,
  actor: Actor,
  executionId: string,
): Promise<DispatchedExecution | undefined> {
  return db.$transaction(async (tx) => {
    const { workspaceId, status, dispatch } = await lockExecution(tx, actor, executionId);
    if (!canMove(status, 'resume')) {
      throw new DeckhandError('INVALID_STATE', { message: `Only a paused run can be resumed: it is ${status}` });
    }
    const [run] = await tx.$queryRaw<{ dispatch: number }[]>(Prisma.sql`
      UPDATE executions e
      SET status = 'running', dispatch = CASE WHEN e.worker_id IS NULL AND NOT ${STARTS_LATER} AND NOT ${LACKS_KEY}
        THEN e.dispatch + 1 ELSE e.dispatch END,
          dispatched_at = now(), wake_at = CASE WHEN ${STARTS_LATER} THEN e.start_at END, revision = e.revision + 1
      WHERE e.id = ${executionId}::uuid RETURNING e.dispatch`);
    return run && run.dispatch > dispatch ? { workspaceId, executionId, dispatch: run.dispatch } : undefined;
  });
}
