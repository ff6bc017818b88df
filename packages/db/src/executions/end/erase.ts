import { DeckhandError, type ExecutionStatus } from '@deckhand/contracts';
import type { Actor } from '../../access.ts';
import { recordChange } from '../../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { pruneData, pruneRuns } from '../../retention.ts';
import { lockExecution } from '../lock.ts';
import { isFinished, isUnfinished } from '../run-status.ts';

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

/** What keeps a run from being erased. */
interface RunUses {
  readonly status: ExecutionStatus;
  readonly isFinished: boolean;
  readonly isRepeated: boolean;
  readonly isAwaited: boolean;
  readonly isStopping: boolean;
}

/** The columns of a RunUses, as SQL, of the run `e`. */
export const erasableState = Prisma.sql`e.status::text, ${isFinished()} AS "isFinished",
  EXISTS (SELECT 1 FROM executions r WHERE r.rerun_of = e.id AND r.finished_at IS NULL) AS "isRepeated",
  EXISTS (
    SELECT 1 FROM waits w JOIN executions p ON p.id = w.execution_id
    WHERE w.child_execution_id = e.id AND w.answered_at IS NULL AND ${isUnfinished(Prisma.raw('p'))}
  ) AS "isAwaited",
  EXISTS (SELECT 1 FROM stopped_parents s WHERE s.execution_id = e.id) AS "isStopping"`;

/** Returns why a run cannot be erased; undefined if it can. */
export function describeUses(uses: RunUses): string | undefined {
  const reason = !uses.isFinished
    ? `it is ${uses.status}: stop it first`
    : uses.isRepeated
      ? 'a run that repeats it is not finished'
      : uses.isAwaited
        ? 'the run that started it still needs its result'
        : uses.isStopping
          ? 'the runs that it started are still being stopped'
          : undefined;
  return reason && `The run cannot be erased: ${reason}`;
}

/** Locks a finished run that no other run needs any more, and keeps it from being indexed at the same time. */
async function lockErasable(
  tx: Queryable,
  actor: Actor,
  executionId: string,
): Promise<{ status: ExecutionStatus; workspaceId: string }> {
  const run = await lockExecution(tx, actor, executionId, 'runs.delete');
  const [uses] = await tx.$queryRaw<RunUses[]>(Prisma.sql`
    SELECT ${erasableState} FROM executions e WHERE e.id = ${executionId}::uuid`);
  const reason = uses ? describeUses(uses) : undefined;
  if (reason !== undefined) throw new DeckhandError('INVALID_STATE', { message: reason });
  // The process that indexes the run has read the texts that are about to be deleted. It waits for no run, so waiting
  // for it cannot deadlock.
  await tx.$queryRaw(Prisma.sql`
    SELECT 1 FROM unindexed_executions WHERE execution_id = ${executionId}::uuid FOR UPDATE`);
  return run;
}
