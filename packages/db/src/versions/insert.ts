import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type Definition, type SavedVersion } from '@deckhand/contracts';
import type { Queryable } from '../client.js';
import { syncWorkflowLimit } from '../concurrency/sync-workflow.js';
import { assignWebhookUrls, type WantedWebhook } from '../webhooks/assign-urls.js';
import type { SealedSecrets } from './sealed-secrets.js';

/** A version to save, whose definition has no issues. */
export interface NewVersion {
  readonly definition: Definition;
  /** The secrets that the definition has placeholders for. */
  readonly sealedSecrets: SealedSecrets;
  /** How long a run of it may take. */
  readonly timeoutMs: number;
  /** Whether only time in which a worker holds the run counts. */
  readonly countsHeldTime: boolean;
  /** Trigger nodes, the default one first. */
  readonly triggerNodeIds: readonly string[];
  /** Webhook triggers: each needs a URL. */
  readonly webhooks: readonly WantedWebhook[];
  readonly comment: string;
  readonly createdBy: string;
}

/** A version, as a row. */
export type StoredVersion = Omit<SavedVersion, 'warnings'>;

/** Maximum number of versions of a workflow. */
const MAX_VERSIONS = 5_000;

/**
 * Inserts a workflow's next version and makes it the latest. The caller has locked the workflow. @throws DeckhandError
 * LIMIT_REACHED for one that has too many.
 */
export async function insertVersion(tx: Queryable, workflowId: string, version: NewVersion): Promise<StoredVersion> {
  const newest = await tx.workflowVersion.findFirst({
    where: { workflowId },
    orderBy: { number: 'desc' },
    select: { id: true, number: true },
  });
  const number = (newest?.number ?? 0) + 1;
  if (number > MAX_VERSIONS) {
    throw new DeckhandError('LIMIT_REACHED', {
      message: `The workflow has ${MAX_VERSIONS} versions: go on in a new workflow`,
    });
  }
  const row = await tx.workflowVersion.create({
    data: {
      id: uuidv7(),
      workflowId,
      number,
      definition: version.definition,
      sealedSecrets: version.sealedSecrets,
      timeoutMs: version.timeoutMs,
      countsHeldTime: version.countsHeldTime,
      triggerNodeIds: [...version.triggerNodeIds],
      comment: version.comment,
      createdBy: version.createdBy,
    },
    select: { id: true, number: true, createdAt: true },
  });
  await tx.workflow.update({ where: { id: workflowId }, data: { latestVersionId: row.id } });
  await syncWorkflowLimit(tx, workflowId);
  await assignWebhookUrls(tx, workflowId, version.webhooks, newest?.id ?? null);
  return { workflowVersionId: row.id, number: row.number, createdAt: row.createdAt.toISOString() };
}
