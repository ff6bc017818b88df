import type { InstanceSettings } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database, Queryable } from '../client.js';
import { requireAdministrator } from './rules.js';

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
