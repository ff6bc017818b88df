import { type BulkActionError, type ErrorCode, ERRORS } from '@deckhand/contracts';
import { Prisma, type Queryable } from '../client.ts';
import { describeUses, erasableState } from '../executions/end/erase.ts';
import { stopRunsById } from '../executions/end/stop.ts';
import { LOCK_FREE_RUNS } from '../lock-order.ts';
import { pruneData, pruneRuns } from '../retention.ts';

/*
 * What a bulk action does to a batch of runs, in the transaction that settles them. Runs that are neither done nor
 * failed nor skipped stay unsettled, and a later batch tries them again.
 */

/** A running bulk action whose next batch is due. */
export interface DueBulkAction {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: 'stop' | 'rerun' | 'delete';
  readonly version: string | null;
  readonly fromFailedNode: boolean;
  readonly ratePerSecond: number | null;
  readonly createdBy: string;
  readonly apiKeyId: string | null;
}

/** What a batch did. */
export interface BulkOutcome {
  /** Runs that were acted on. */
  readonly done: readonly string[];
  /** Runs that it could not act on. */
  readonly failed: readonly BulkActionError[];
  /** Runs that needed nothing. */
  readonly skipped: readonly BulkActionError[];
  /** The new runs, by a rerun. */
  readonly startedIds: readonly string[];
  /** Runs that are not settled yet, because their reruns are tried again at once. */
  readonly pending: readonly string[];
  /** The limit of the workspace that delays the rest. */
  readonly blockedBy?: ErrorCode | undefined;
}

/** Returns the entry of a run that a bulk action could not act on. @param message by default that of the code. */
export function toEntry(executionId: string, code: ErrorCode, message?: string): BulkActionError {
  return { executionId, code, message: message ?? ERRORS[code].message };
}

/** What a batch did that did nothing. */
export const NOTHING: BulkOutcome = { done: [], failed: [], skipped: [], startedIds: [], pending: [] };

/** Returns the entry of a run that does not exist any more. */
export function toGone(executionId: string): BulkActionError {
  return toEntry(executionId, 'NOT_FOUND', 'There is no such run');
}

/** Returns those of the ids that are runs of the workspace. */
export async function findThose(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* bulk-actions.find-existing */
    SELECT e.id FROM executions e
    WHERE e.id = ANY (${[...ids]}::uuid[]) AND e.workspace_id = ${workspaceId}::uuid`);
  return new Set(rows.map(({ id }) => id));
}

/** Stops runs. Those that have ended by now need nothing. Maintenance stops the runs that they have started. */
export async function stopRuns(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<BulkOutcome> {
  const existing = await findThose(tx, workspaceId, ids);
  const done = await stopRunsById(tx, [...existing]);
  const stopped = new Set(done);
  const skipped = ids
    .filter((id) => !stopped.has(id))
    .map((id) => (existing.has(id) ? toEntry(id, 'INVALID_STATE', 'The run is finished') : toGone(id)));
  return { ...NOTHING, done, skipped };
}

/**
 * Deletes finished runs with all their data. Runs that are locked or being indexed at the moment stay unsettled, so
 * that this waits for no one.
 */
export async function deleteRuns(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<BulkOutcome> {
  const locked = await tx.$queryRaw<({ id: string } & Parameters<typeof describeUses>[0])[]>(
    Prisma.sql`/* bulk-actions.lock-erasable */
    SELECT e.id, ${erasableState} FROM executions e
    WHERE e.id = ANY (${[...ids]}::uuid[]) AND e.workspace_id = ${workspaceId}::uuid
    ${LOCK_FREE_RUNS}`,
  );
  const uses = locked.map(({ id, ...state }) => ({ id, reason: describeUses(state) }));
  const failed = uses.flatMap(({ id, reason }) => (reason === undefined ? [] : [toEntry(id, 'INVALID_STATE', reason)]));
  const erasable = uses.filter(({ reason }) => reason === undefined).map(({ id }) => id);
  await pruneData(tx, erasable);
  await pruneRuns(tx, erasable);
  const left = await findThose(tx, workspaceId, ids);
  const known = new Set(locked.map(({ id }) => id));
  const skipped = ids.filter((id) => !known.has(id) && !left.has(id)).map(toGone);
  return { ...NOTHING, done: erasable.filter((id) => !left.has(id)), failed, skipped };
}
