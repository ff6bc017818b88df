import { DeckhandError, findMetadataIssues, type JsonObject, validationFailed } from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma } from '../client.ts';
import { lockExecution } from './lock.ts';

/** What to change about a run. */
export interface RunChanges {
  /** Replace those of the run. */
  readonly tags?: readonly string[] | undefined;
  /** Members to set; null removes one. */
  readonly metadata?: JsonObject | undefined;
}

/**
 * Changes tags and metadata of a run, which no worker writes, whatever its status. The run's row is locked, so of two
 * changes at once the second one sees the first. Recorded in the audit log.
 * @throws DeckhandError NOT_FOUND, FORBIDDEN; VALIDATION_FAILED if the metadata would become too large; INVALID_STATE
 * if the data of the run was deleted: what is added then would never be deleted with it.
 */
export function updateExecution(db: Database, actor: Actor, executionId: string, changes: RunChanges): Promise<void> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await lockExecution(tx, actor, executionId, 'runs.control');
    const [run] = await tx.$queryRaw<{ metadata: JsonObject | null; hasData: boolean }[]>(Prisma.sql`
      SELECT metadata, trigger_data IS NOT NULL AS "hasData" FROM executions WHERE id = ${executionId}::uuid`);
    if (changes.metadata !== undefined && run?.hasData !== true) {
      throw new DeckhandError('INVALID_STATE', {
        message: 'The data of the run was deleted, and its metadata with it',
      });
    }
    const metadata = merge(run?.metadata ?? {}, changes.metadata ?? {});
    const issues = findMetadataIssues(metadata);
    if (issues.length > 0) throw validationFailed(issues);
    const json = Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata);
    await tx.$executeRaw(Prisma.sql`/* executions.update */
      WITH changed AS (
        UPDATE executions e
        SET tags = CASE WHEN ${changes.tags !== undefined} THEN nullif(${[...(changes.tags ?? [])]}::text[], '{}') ELSE e.tags END,
            metadata = n.metadata, stored_bytes = e.stored_bytes + n.bytes, revision = e.revision + 1
        FROM (
          SELECT ${json}::jsonb AS metadata, coalesce(octet_length(${json}::jsonb::text), 0)
            - coalesce((SELECT octet_length(o.metadata::text) FROM executions o WHERE o.id = ${executionId}::uuid), 0) AS bytes
        ) n
        WHERE e.id = ${executionId}::uuid
        RETURNING n.bytes
      )
      INSERT INTO storage_changes (workspace_id, bytes) SELECT ${workspaceId}::uuid, bytes FROM changed WHERE bytes <> 0`);
    await recordChange(tx, actor, { action: 'execution.update', workspaceId, resourceId: executionId });
  });
}

function merge(before: JsonObject, changes: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null));
}
