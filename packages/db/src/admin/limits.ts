import { DeckhandError, type WorkspaceLimits } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database } from '../client.js';
import { requireAdministrator } from './rules.js';

const LIMITS = { executionsPerMinute: true, storageQuotaBytes: true } as const;

/**
 * What a workspace is allowed.
 * @throws DeckhandError FORBIDDEN for no instance administrator; NOT_FOUND when there is no such workspace.
 */
export async function readLimits(db: Database, actor: Actor, workspaceId: string): Promise<WorkspaceLimits> {
  await requireAdministrator(db, actor);
  const row = await db.workspace.findUnique({ where: { id: workspaceId }, select: LIMITS });
  if (!row) throw noSuchWorkspace();
  return toLimits(row);
}

/**
 * Sets what a workspace is allowed.
 * @throws DeckhandError FORBIDDEN for no instance administrator; NOT_FOUND when there is no such workspace.
 */
export function writeLimits(
  db: Database,
  actor: Actor,
  workspaceId: string,
  { executionsPerMinute, storageQuotaBytes }: WorkspaceLimits,
): Promise<WorkspaceLimits> {
  return db.$transaction(async (tx) => {
    await requireAdministrator(tx, actor);
    const [row] = await tx.workspace.updateManyAndReturn({
      where: { id: workspaceId },
      data: { executionsPerMinute, storageQuotaBytes },
      select: LIMITS,
    });
    if (!row) throw noSuchWorkspace();
    const details = { executionsPerMinute, storageQuotaBytes };
    await recordChange(tx, actor, { action: 'workspace.limit', workspaceId, resourceId: workspaceId, details });
    return toLimits(row);
  });
}

function toLimits(row: { executionsPerMinute: number | null; storageQuotaBytes: bigint | null }): WorkspaceLimits {
  const { executionsPerMinute, storageQuotaBytes } = row;
  return { executionsPerMinute, storageQuotaBytes: storageQuotaBytes === null ? null : Number(storageQuotaBytes) };
}

function noSuchWorkspace(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
}
