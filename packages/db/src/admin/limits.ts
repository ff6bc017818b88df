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
 * What a workspace is allowed.
 * @throws DeckhandError FORBIDDEN for no instance administrator; NOT_FOUND when there is no such workspace.
 */
export async function readLimits(db: Database, actor: Actor, workspaceId: string): Promise<WorkspaceLimits> {
  await requireAdministrator(db, actor);
  const row = await db.workspace.findUnique({ where: { id: workspaceId }, select: WORKSPACE_LIMITS });
  if (!row) throw noSuchWorkspace();
  return toLimits(row);
}

/**
 * Sets what a workspace is allowed. Runs that are held already count under a limit of runs at once; those that a lower
 * one would not let in go on. What such a limit held back, maintenance lets go.
 * @throws DeckhandError FORBIDDEN for no instance administrator; NOT_FOUND when there is no such workspace.
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

/** Limits as they are shown. */
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
