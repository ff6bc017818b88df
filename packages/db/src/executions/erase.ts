import { DeckhandError, type ExecutionStatus } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import { type Database, Prisma, type Queryable } from '../client.js';
import { pruneData, pruneRuns } from '../retention.js';
import { lockExecution } from './lock.js';
import { isFinished, isUnfinished } from './run-status.js';

/**
 * Deletes trigger data, result, outputs, debug data and search texts of a finished run, and records that in the audit
 * log. The row stays, with its times, status and errors. Repeating it changes nothing further.
 * @returns the run's status.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or INVALID_STATE for a run that is not finished or is still being read.
 */
export function redactExecution(db: Database, actor: Actor, executionId: string): Promise<ExecutionStatus> {
  return db.$transaction(async (tx) => {
    const { status, workspaceId } = await lockErasable(tx, actor, executionId);
    await pruneData(tx, [executionId]);
    await recordChange(tx, actor, { action: 'execution.redact', workspaceId, resourceId: executionId });
    return status;
  });
}

/**
 * Deletes a finished run with all its data, and records that in the audit log.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN, or INVALID_STATE for a run that is not finished or is still being read.
 */
export function deleteExecution(db: Database, actor: Actor, executionId: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await lockErasable(tx, actor, executionId);
    await pruneData(tx, [executionId]);
    await pruneRuns(tx, [executionId]);
    await recordChange(tx, actor, { action: 'execution.delete', workspaceId, resourceId: executionId });
  });
}

/** Locks a finished run that no other run needs any more, and keeps it from being indexed at the same time. */
async function lockErasable(
  tx: Queryable,
  actor: Actor,
  executionId: string,
): Promise<{ status: ExecutionStatus; workspaceId: string }> {
  const run = await lockExecution(tx, actor, executionId);
  const [uses] = await tx.$queryRaw<
    { isFinished: boolean; isRepeated: boolean; isAwaited: boolean; isStopping: boolean }[]
  >(
    Prisma.sql`
    SELECT ${isFinished()} AS "isFinished",
      EXISTS (SELECT 1 FROM executions r WHERE r.rerun_of = e.id AND r.finished_at IS NULL) AS "isRepeated",
      EXISTS (
        SELECT 1 FROM waits w JOIN executions p ON p.id = w.execution_id
        WHERE w.child_execution_id = e.id AND w.answered_at IS NULL AND ${isUnfinished(Prisma.raw('p'))}
      ) AS "isAwaited",
      EXISTS (SELECT 1 FROM stopped_parents s WHERE s.execution_id = e.id) AS "isStopping"
    FROM executions e WHERE e.id = ${executionId}::uuid`,
  );
  if (uses?.isFinished !== true) throw invalidState(`it is ${run.status}: stop it first`);
  if (uses.isRepeated) throw invalidState('a run that repeats it is not finished');
  if (uses.isAwaited) throw invalidState('the run that started it still needs its result');
  if (uses.isStopping) throw invalidState('the runs that it started are still being stopped');
  // The process that indexes the run has read the texts that are about to be deleted. It waits for no run, so waiting
  // for it cannot deadlock.
  await tx.$queryRaw(Prisma.sql`
    SELECT 1 FROM unindexed_executions WHERE execution_id = ${executionId}::uuid FOR UPDATE`);
  return run;
}

function invalidState(reason: string): DeckhandError {
  return new DeckhandError('INVALID_STATE', { message: `The run cannot be erased: ${reason}` });
}
