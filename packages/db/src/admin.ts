import {
  DeckhandError,
  type InstanceSettings,
  type WorkspaceLimits,
  type WorkspaceLimitsBody,
  type WorkspaceUsage,
} from '@deckhand/contracts';
import type { Actor } from './access.ts';
import { recordChange } from './audit/record.ts';
import type { Database, Queryable } from './client.ts';
import { countHeldRuns } from './concurrency/count-slots.ts';

/** Whether the actor is an instance administrator. */
export async function isAdministrator(db: Queryable, actor: Actor): Promise<boolean> {
  const user = await db.user.findUnique({ where: { id: actor.userId }, select: { isAdmin: true } });
  return user?.isAdmin === true;
}

/** @throws DeckhandError FORBIDDEN when the actor is not an instance administrator. */
export async function requireAdministrator(db: Queryable, actor: Actor): Promise<void> {
  if (!(await isAdministrator(db, actor))) {
    throw new DeckhandError('FORBIDDEN', { message: 'This needs an administrator of the instance' });
  }
}

/**
 * Reads the settings of the instance. A setting that was never set is null: data is kept forever, and there is no
 * limit.
 */
export async function readInstanceSettings(db: Queryable): Promise<InstanceSettings> {
  const rows = await db.setting.findMany();
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const number = (name: keyof InstanceSettings): number | null => {
    const value = values.get(name);
    return typeof value === 'number' ? value : null;
  };
  return {
    dataRetentionDays: number('dataRetentionDays'),
    runRetentionDays: number('runRetentionDays'),
    defaultExecutionsPerMinute: number('defaultExecutionsPerMinute'),
    defaultStorageQuotaBytes: number('defaultStorageQuotaBytes'),
  };
}

/** The instance's settings for an administrator. @throws DeckhandError FORBIDDEN for anybody else. */
export async function readSettingsAs(db: Database, actor: Actor): Promise<InstanceSettings> {
  await requireAdministrator(db, actor);
  return readInstanceSettings(db);
}

/** Replaces the instance's settings. @throws DeckhandError FORBIDDEN for no instance administrator. */
export function writeSettings(db: Database, actor: Actor, settings: InstanceSettings): Promise<InstanceSettings> {
  return db.$transaction(async (tx) => {
    await requireAdministrator(tx, actor);
    await tx.$executeRaw`
      INSERT INTO settings (name, value)
      SELECT key, value FROM jsonb_each(${JSON.stringify(settings)}::jsonb) ORDER BY key
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
    const details = { ...settings };
    await recordChange(tx, actor, { action: 'settings.update', workspaceId: null, resourceId: 'instance', details });
    return settings;
  });
}

/** The columns of a workspace's limits. */
export const WORKSPACE_LIMITS = {
  executionsPerMinute: true,
  storageQuotaBytes: true,
  maxConcurrentExecutions: true,
  modelTokensPerMonth: true,
  modelMicroUsdPerMonth: true,
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
  modelTokensPerMonth: bigint | null;
  modelMicroUsdPerMonth: bigint | null;
}): WorkspaceLimits {
  const numberOf = (value: bigint | null): number | null => (value === null ? null : Number(value));
  const { storageQuotaBytes, modelTokensPerMonth, modelMicroUsdPerMonth } = row;
  return {
    ...row,
    storageQuotaBytes: numberOf(storageQuotaBytes),
    modelTokensPerMonth: numberOf(modelTokensPerMonth),
    modelMicroUsdPerMonth: numberOf(modelMicroUsdPerMonth),
  };
}

function noSuchWorkspace(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
}

/**
 * Reads how much of its limits a workspace uses. Bytes that were written within the last moments may be missing:
 * maintenance adds them soon.
 * @throws DeckhandError FORBIDDEN unless the actor is an instance administrator; NOT_FOUND if there is no such
 * workspace.
 */
export async function readUsage(db: Database, actor: Actor, workspaceId: string): Promise<WorkspaceUsage> {
  await requireAdministrator(db, actor);
  const row = await db.workspace.findUnique({ where: { id: workspaceId }, select: { storedBytes: true } });
  if (!row) throw new DeckhandError('NOT_FOUND', { message: 'No such workspace' });
  return { storedBytes: Number(row.storedBytes) };
}
