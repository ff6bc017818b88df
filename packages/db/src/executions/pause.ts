import { canMove, DeckhandError } from '@deckhand/contracts';
import { type Actor, memberMay } from '../access.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { LOCK_RUNS } from '../lock-order.ts';
import { lockExecution } from './lock.ts';
import type { DispatchedExecution } from './claim/reconcile.ts';
import { DISPATCHED, LACKS_KEY, mayMove } from './run-status.ts';
import { isUnfinishedChildOf } from './end/stop.ts';

/**
 * Pauses an unfinished run, and the unfinished runs that it has started, with theirs: nodes in progress finish and are
 * stored, and no further node starts. Runs that are paused already stay as they are, so that a resume of this run does
 * not resume them. The caller notifies the workers that hold the runs; if that notification is lost, the next
 * checkpoint of a run reports the pause.
 * @returns the ids of the paused runs.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or INVALID_STATE when it is finished or paused already.
 */
export function pauseExecution(db: Database, actor: Actor, executionId: string): Promise<string[]> {
  return db.$transaction(async (tx) => {
    await lockFamily(tx, actor, executionId);
    const { status } = await lockExecution(tx, actor, executionId, 'runs.control');
    if (!canMove(status, 'pause')) {
      throw new DeckhandError('INVALID_STATE', { message: `The run cannot be paused: it is ${status}` });
    }
    const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.pause */
      WITH ${descendantsOf(executionId)}
      UPDATE executions e
      SET status = 'paused', revision = revision + 1,
          paused_with = CASE WHEN e.id <> ${executionId}::uuid THEN ${executionId}::uuid END
      FROM descendants d
      WHERE e.id = d.id AND ${mayMove('pause')}
      RETURNING e.id`);
    return rows.map(({ id }) => id);
  });
}

/** Whether the run `e` has not begun because the time of its start has not come. */
const STARTS_LATER = Prisma.sql`(e.started_at IS NULL AND coalesce(e.start_at > now(), false))`;

/** What a resume did. */
export interface ResumedRuns {
  /** The ids of the runs that go on. */
  readonly resumed: readonly string[];
  /** Those of them that no worker holds, with the dispatch to be queued. */
  readonly dispatched: readonly DispatchedExecution[];
}

/**
 * Resumes a paused run where it stopped, and the runs that its pause has reached. Each is dispatched, unless a worker
 * still holds it, which then has to be notified, or it is delayed or waits for a slot of its key: it rests until its
 * time has come, or until it has one.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or INVALID_STATE when nobody paused it.
 */
export function resumeExecution(db: Database, actor: Actor, executionId: string): Promise<ResumedRuns> {
  return db.$transaction(async (tx) => {
    await lockFamily(tx, actor, executionId);
    const { status } = await lockExecution(tx, actor, executionId, 'runs.control');
    if (!canMove(status, 'resume')) {
      throw new DeckhandError('INVALID_STATE', { message: `Only a paused run can be resumed: it is ${status}` });
    }
    const isDispatched = Prisma.sql`e.worker_id IS NULL AND NOT ${STARTS_LATER} AND NOT ${LACKS_KEY}`;
    const rows = await tx.$queryRaw<
      (DispatchedExecution & { isDispatched: boolean })[]
    >(Prisma.sql`/* executions.resume */
      WITH ${descendantsOf(executionId)}
      UPDATE executions e
      SET status = 'running', dispatch = CASE WHEN ${isDispatched} THEN e.dispatch + 1 ELSE e.dispatch END,
          dispatched_at = now(), wake_at = CASE WHEN ${STARTS_LATER} THEN e.start_at END, revision = e.revision + 1,
          paused_with = NULL
      FROM descendants d
      WHERE e.id = d.id AND ${mayMove('resume')}
        AND (e.id = ${executionId}::uuid OR e.paused_with = ${executionId}::uuid)
      RETURNING ${DISPATCHED}, ${isDispatched} AS "isDispatched"`);
    return {
      resumed: rows.map((row) => row.executionId),
      dispatched: rows.flatMap(({ isDispatched: isQueued, ...run }) => (isQueued ? [run] : [])),
    };
  });
}

/**
 * Locks a run and the unfinished runs that it has started, with theirs, in the order of their ids; nothing if the actor
 * may not change it. A run that is started meanwhile waits for the lock of the run that starts it, and then finds that
 * it is paused.
 */
async function lockFamily(tx: Queryable, actor: Actor, executionId: string): Promise<void> {
  await tx.$queryRaw(Prisma.sql`/* executions.lock-family */
    WITH ${descendantsOf(executionId)}
    SELECT e.id FROM executions e
    WHERE e.id IN (SELECT id FROM descendants) AND EXISTS (
        SELECT 1 FROM memberships m
        WHERE m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.control')})
    ${LOCK_RUNS}`);
}

/** A run, and the unfinished runs that it has started, with theirs. Served by executions_unfinished_children. */
function descendantsOf(executionId: string): Prisma.Sql {
  return Prisma.sql`RECURSIVE descendants AS (
        SELECT ${executionId}::uuid AS id
        UNION ALL
        SELECT child.id FROM descendants d CROSS JOIN LATERAL (
          SELECT e.id FROM executions e WHERE ${isUnfinishedChildOf(Prisma.sql`d.id`)}
        ) child
      )`;
}
