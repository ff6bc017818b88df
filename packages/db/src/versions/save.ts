import { v7 as uuidv7 } from 'uuid';
import {
  DeckhandError,
  type Definition,
  type InputSchemas,
  isJsonObject,
  type JsonObject,
  type SavedVersion,
  type ToolSettings,
  type WorkflowConcurrency,
} from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { syncWorkflowLimit } from '../concurrency/count-slots.ts';
import { runAndRollBack } from '../roll-back.ts';
import { assignWebhookUrls, type WantedWebhook } from '../webhooks/urls.ts';
import { lockWorkflow } from '../workflows/lock.ts';

/** Maximum number of versions of a workflow. */
const MAX_VERSIONS = 5_000;

/**
 * Saves a workflow's next version. Concurrent saves run one after another, so numbers have neither gaps nor duplicates.
 * @param baseVersionId the version that the editor started from; null skips the check.
 * @throws DeckhandError CONFLICT when another version was saved since; NOT_FOUND; FORBIDDEN without the permission.
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
  const workflow = await lockWorkflow(tx, actor, workflowId, 'workflows.edit');
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

/** A version that is a tool while it is active. */
export interface WorkflowTool {
  readonly settings: ToolSettings;
  /** The JSON Schema of the input. */
  readonly inputSchema: JsonObject;
}

/** A version to save, whose definition has no issues. */
export interface NewVersion {
  readonly definition: Definition;
  readonly secrets: NewSecrets;
  /** How long a run of it may take. */
  readonly timeoutMs: number;
  /** Whether only time in which a worker holds the run counts. */
  readonly countsHeldTime: boolean;
  /** Trigger nodes, the default one first. */
  readonly triggerNodeIds: readonly string[];
  /** The limit of runs that have none of their own; undefined without one. */
  readonly concurrency: WorkflowConcurrency | undefined;
  /** Webhook triggers: each needs a URL. */
  readonly webhooks: readonly WantedWebhook[];
  /** Null if it is not a tool. */
  readonly tool: WorkflowTool | null;
  /** The schemas that its triggers enforce. */
  readonly inputSchemas: InputSchemas;
  readonly comment: string;
  readonly createdBy: string;
}

/** The secrets of a version to save, which its definition has placeholders for. */
export interface NewSecrets {
  /** Whether each of them is the one of the latest version. */
  readonly areKept: boolean;
  /**
   * Returns them. A secret that is kept is the one of the latest version, which is read under the lock of the workflow:
   * a version that somebody saves meanwhile keeps its own.
   * @throws DeckhandError VALIDATION_FAILED if one is kept that `latest` does not have.
   */
  seal(latest: SealedSecrets): Promise<SealedSecrets>;
}

/** A version, as a row. */
export type StoredVersion = Omit<SavedVersion, 'warnings'>;

/**
 * Inserts a workflow's next version and makes it the latest. The caller has locked the workflow. @throws DeckhandError
 * LIMIT_REACHED for one that has too many; VALIDATION_FAILED if it keeps a secret that there is not.
 */
export async function insertVersion(tx: Queryable, workflowId: string, version: NewVersion): Promise<StoredVersion> {
  const newest = await tx.workflowVersion.findFirst({
    where: { workflowId },
    orderBy: { number: 'desc' },
    select: { id: true, number: true, sealedSecrets: true },
  });
  const number = (newest?.number ?? 0) + 1;
  if (number > MAX_VERSIONS) {
    throw new DeckhandError('LIMIT_REACHED', {
      message: `The workflow has ${MAX_VERSIONS} versions, the maximum: continue in a new workflow`,
    });
  }
  const row = await tx.workflowVersion.create({
    data: {
      id: uuidv7(),
      workflowId,
      number,
      definition: version.definition,
      sealedSecrets: await version.secrets.seal(readSealedSecrets(newest?.sealedSecrets)),
      timeoutMs: version.timeoutMs,
      countsHeldTime: version.countsHeldTime,
      triggerNodeIds: [...version.triggerNodeIds],
      tool: version.tool ? { ...version.tool } : Prisma.DbNull,
      ...(Object.keys(version.inputSchemas).length > 0 && { inputSchemas: version.inputSchemas }),
      ...(version.concurrency && { concurrency: version.concurrency }),
      comment: version.comment,
      createdBy: version.createdBy,
    },
    select: { id: true, number: true, createdAt: true },
  });
  const { status } = await tx.workflow.update({ where: { id: workflowId }, data: { latestVersionId: row.id } });
  await syncWorkflowLimit(tx, workflowId);
  await assignWebhookUrls(tx, workflowId, version.webhooks, {
    isLive: status === 'active',
    earlierVersionId: newest?.id ?? null,
  });
  return { workflowVersionId: row.id, number: row.number, createdAt: row.createdAt.toISOString() };
}

/** Secret parameters of nodes: node id → parameter → JWE. */
export type SealedSecrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reads the secrets of a version from its row; none without a row. */
function readSealedSecrets(stored: unknown): SealedSecrets {
  if (!isJsonObject(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).flatMap(([nodeId, secrets]) => {
      if (!isJsonObject(secrets)) return [];
      const texts = Object.entries(secrets).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
      return [[nodeId, Object.fromEntries(texts)]];
    }),
  );
}
