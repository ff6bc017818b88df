import type { ExecutionFilter } from '@deckhand/contracts';
import { type Actor, requirePermission } from '../../access.ts';
import { type Database, Prisma } from '../../client.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import { filterConditions, resolveFilter } from '../read/filter.ts';
import { isSearch, matchesRun } from '../../search/match.ts';
import { mayMove } from '../run-status.ts';
import { type OnStopped, stopRunsById } from './stop.ts';
import { stopDescendants } from './stop-descendants.ts';

/** Maximum number of runs per transaction, so that others wait only briefly for a row. */
const BATCH = 500;
/** How long the caller waits until descendants are stopped, in ms; maintenance stops the rest. */
const DESCENDANTS_MS = 2_000;

/**
 * Stops the unfinished runs of a workspace that match the filter, and their descendants, batch by batch. A run that
 * starts in the meantime may be missed. @returns how many were stopped. @throws DeckhandError FORBIDDEN without the
 * permission.
 */
export async function stopExecutions(
  db: Database,
  actor: Actor,
  filter: ExecutionFilter,
  onStopped: OnStopped,
): Promise<number> {
  await requirePermission(db, actor, filter.workspaceId, 'runs.control');
  const condition = filterConditions(await resolveFilter(db, filter));
  // Unfinished runs are not in the search index: each one that matches the other filters is read.
  return stopWhere(db, isSearch(filter) ? Prisma.sql`${condition} AND ${matchesRun(filter)}` : condition, onStopped);
}

/** Stops every unfinished run of a workflow that the caller may delete. */
export async function stopExecutionsOfWorkflow(db: Database, workflowId: string, onStopped: OnStopped): Promise<void> {
  await stopWhere(db, Prisma.sql`e.workflow_id = ${workflowId}::uuid`, onStopped);
}

/** Stops every unfinished run of a workspace that the caller may delete. */
export async function stopExecutionsOfWorkspace(
  db: Database,
  workspaceId: string,
  onStopped: OnStopped,
): Promise<void> {
  await stopWhere(db, Prisma.sql`e.workspace_id = ${workspaceId}::uuid`, onStopped);
}

/**
 * Stops the unfinished runs that match a condition on the run `e` and that the caller may stop, then their descendants;
 * if these are many, maintenance stops the rest. @returns how many were stopped.
 */
export async function stopWhere(db: Database, condition: Prisma.Sql, onStopped: OnStopped): Promise<number> {
  let count = 0;
  let leftMs = DESCENDANTS_MS;
  for (;;) {
    const batch = await db.$transaction(async (tx) => {
      const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`
        SELECT e.id FROM executions e WHERE ${condition} AND ${mayMove('stop')}
        ${LOCK_RUNS} LIMIT ${BATCH}`);
      const stopped = await stopRunsById(
        tx,
        rows.map(({ id }) => id),
      );
      return { stopped, isLast: rows.length === 0 };
    });
    if (batch.isLast) return count;
    count += batch.stopped.length;
    await onStopped(batch.stopped);
    const startedAt = performance.now();
    count += await stopDescendants(db, { of: batch.stopped, until: startedAt + leftMs, onStopped });
    leftMs -= performance.now() - startedAt;
  }
}
