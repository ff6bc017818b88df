import { DeckhandError, type WorkspaceLimits, type WorkspaceLimitsBody } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { countHeldRuns } from '../concurrency/count-slots.js';
import { requireAdministrator } from './rules.js';

/** The columns of a workspace's limits. */
export const WORKSPACE_LIMITS = {
  executionsPerMinute: true,
  storageQuotaBytes: true,
  maxConcurrentExecutions: true,
} as const;

/**
 * Reads the limits of a workspace.
 * @throws DeckhandError FORBIDDEN unless the actor is an instance administrator; NOT_FOUND if there is no such
 * workspace.
 */
export async function readLimits(db: Database, actor: Actor, workspaceId: string): Promise<WorkspaceLimits> {
  await requireAdministrator(db, actor);
  const row = await db.workspace.findUnique({ where: { id: workspaceId }, select: WORKSPACE_LIMITS });
  if (!row) throw noSuchWorkspace();
  return toLimits(row);
}

/**
 * Sets the limits of a workspace. Runs that workers hold already count under a limit of concurrent runs; if the new
 * limit is lower, they continue. Maintenance releases the runs that the old limit held back.
 * @throws DeckhandError FORBIDDEN unless the actor is an instance administrator; NOT_FOUND if there is no such
 * workspace.
 */
export function writeLimits(
  db: Database,
  actor: Actor,
  workspaceId: string,
  limits: WorkspaceLimitsBody,
): Promise<WorkspaceLimits> {
  return db.$transaction(async (tx) => {
    await requireAdministrator(tx, actor);
    const [row] = await tx.workspace.updateManyAndReturn({
      where: { id: workspaceId },
      data: limits,
      select: WORKSPACE_LIMITS,
    });
    if (!row) throw noSuchWorkspace();
    await countHeldRuns(tx, { workspaceId });
    const details = { ...limits };
    await recordChange(tx, actor, { action: 'workspace.limit', workspaceId, resourceId: workspaceId, details });
    return toLimits(row);
  });
}

/** Converts a row to the limits as they are shown. */
export function toLimits(row: {
  executionsPerMinute: number | null;
  storageQuotaBytes: bigint | null;
  maxConcurrentExecutions: number | null;
}): WorkspaceLimits {
  return { ...row, storageQuotaBytes: row.storageQuotaBytes === null ? null : Number(row.storageQuotaBytes) };
}

function noSuchWorkspace(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
}
