import { DeckhandError } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import { recordChange } from '../audit/record.js';
import type { Database, Queryable } from '../client.js';
import { runAndRollBack } from '../roll-back.js';
import { lockWorkflow } from '../workflows/lock.js';
import { insertVersion, type NewVersion, type StoredVersion } from './insert.js';

/**
 * Saves a workflow's next version. Concurrent saves run one after another, so numbers have neither gaps nor duplicates.
 * @param baseVersionId the version that the editor started from; null skips the check.
 * @throws DeckhandError CONFLICT when another version was saved since; NOT_FOUND; FORBIDDEN below the role editor.
 */
export function saveVersion(
  db: Database,
  actor: Actor,
  workflowId: string,
  version: NewVersion,
  baseVersionId: string | null,
): Promise<StoredVersion> {
  return db.$transaction((tx) => save(tx, actor, workflowId, version, baseVersionId));
}

/** Checks whether a version could be saved. @throws DeckhandError as `saveVersion` would. */
export function trySavingVersion(
  db: Database,
  actor: Actor,
  workflowId: string,
  version: NewVersion,
  baseVersionId: string | null,
): Promise<void> {
  return runAndRollBack(db, (tx) => save(tx, actor, workflowId, version, baseVersionId));
}

async function save(
  tx: Queryable,
  actor: Actor,
  workflowId: string,
  version: NewVersion,
  baseVersionId: string | null,
): Promise<StoredVersion> {
  const workflow = await lockWorkflow(tx, actor, workflowId, 'editor');
  if (baseVersionId !== null && baseVersionId !== workflow.latestVersionId) {
    throw new DeckhandError('CONFLICT', {
      message: 'Somebody saved another version in between',
      details: { latestVersionId: workflow.latestVersionId },
    });
  }
  const saved = await insertVersion(tx, workflowId, version);
  await recordChange(tx, actor, {
    action: 'workflow.save',
    workspaceId: workflow.workspaceId,
    resourceId: workflowId,
    details: { workflowVersionId: saved.workflowVersionId, number: saved.number },
  });
  return saved;
}
