import type { ExecutionStatus } from '@deckhand/contracts';
import { type Actor, requireRole } from '../access.js';
import { type Database, Prisma } from '../client.js';
import { filterConditions } from './filter.js';
import { stopWithChildren } from './stop.js';
import { mayMove } from './run-status.js';

/** Which runs to stop: all of a workspace's unfinished ones that fit. */
export interface StopManyRequest {
  readonly workspaceId: string;
  readonly status?: ExecutionStatus | undefined;
  readonly workflowId?: string | undefined;
  /** Bounds of the start time, inclusive. */
  readonly startedAt?: { readonly gte?: string | undefined; readonly lte?: string | undefined } | undefined;
}

/** Told of each batch of stopped runs, so that workers hear of it while the rest is stopped. */
export type OnStopped = (executionIds: readonly string[]) => Promise<void>;

/** Runs of one transaction at most, so that nobody waits long for a row. */
const BATCH = 500;

/**
 * Stops many runs, batch by batch, with those that they started. A run that starts meanwhile may escape.
 * @returns how many were stopped.
 * @throws DeckhandError FORBIDDEN below the role editor.
 */
export async function stopExecutions(
  db: Database,
  actor: Actor,
  request: StopManyRequest,
  onStopped: OnStopped,
): Promise<number> {
  await requireRole(db, actor, request.workspaceId, 'editor');
  return stopWhere(db, filterConditions(request), onStopped);
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

/** Stops the unfinished runs that fit a condition on the run `e`, which the caller may stop, with those that they started. */
export async function stopWhere(db: Database, condition: Prisma.Sql, onStopped: OnStopped): Promise<number> {
  let stopped = 0;
  for (;;) {
    const batch = await db.$transaction(async (tx) => {
      const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`
        SELECT e.id FROM executions e
        WHERE ${condition}
          AND ${mayMove('stop')}
        ORDER BY e.id LIMIT ${BATCH} FOR UPDATE`);
      return rows.length === 0
        ? []
        : stopWithChildren(
            tx,
            rows.map((row) => row.id),
          );
    });
    if (batch.length === 0) return stopped;
    stopped += batch.length;
    await onStopped(batch);
  }
}
