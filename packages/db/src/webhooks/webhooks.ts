import type { WorkflowStatus } from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import type { Database } from '../client.ts';
import { lockWorkflow } from '../workflows/lock.ts';
import { noSuchWebhook } from './urls.ts';

/** The trigger behind the URL of a webhook. */
export interface FoundWebhook {
  readonly suffix: string;
  readonly nodeId: string;
  readonly workflowId: string;
  readonly workspaceId: string;
  readonly status: WorkflowStatus;
  readonly activeVersionId: string | null;
  readonly latestVersionId: string | null;
  /** The person who opened the test URL; null while it is closed. */
  readonly testUserId: string | null;
}

/**
 * Looks up webhooks by many URL suffixes: those of each suffix, which belong to one workflow, in the order of their
 * nodes' ids. A result may be used again only by a start that checks it (`StartRequest.webhookSuffix`): a change of a
 * workflow or its URL takes effect with its response, for every replica. Served by `webhooks_suffix_idx` and the
 * primary key of workflows.
 */
export async function findWebhooks(db: Database, suffixes: readonly string[]): Promise<FoundWebhook[][]> {
  const rows = await db.$queryRaw<FoundWebhook[]>`/* webhooks.find */
    SELECT h.suffix, h.node_id AS "nodeId", h.workflow_id AS "workflowId", w.workspace_id AS "workspaceId",
      w.status::text AS status, w.active_version_id AS "activeVersionId", w.latest_version_id AS "latestVersionId",
      CASE WHEN h.test_until > now() THEN h.test_user_id END AS "testUserId"
    FROM webhooks h JOIN workflows w ON w.id = h.workflow_id
    WHERE h.suffix = ANY (${[...new Set(suffixes)]}::text[])
    ORDER BY h.node_id`;
  const found = Map.groupBy(rows, ({ suffix }) => suffix);
  return suffixes.map((suffix) => found.get(suffix) ?? []);
}

/** A test URL that is open for a while. */
export interface OpenTest {
  readonly suffix: string;
  readonly until: Date;
}

/**
 * Opens a webhook's test URL. Its runs belong to the actor, who must still have the permission when they start. Opening
 * it again extends the time.
 * @throws DeckhandError NOT_FOUND for a workflow that the actor may not see and for a node without a webhook; FORBIDDEN
 * without the permission.
 */
export function openWebhookTest(
  db: Database,
  actor: Actor,
  workflowId: string,
  { nodeId, forSeconds }: { nodeId: string; forSeconds: number },
): Promise<OpenTest> {
  return db.$transaction(async (tx) => {
    await lockWorkflow(tx, actor, workflowId, 'runs.start');
    const [row] = await tx.$queryRaw<OpenTest[]>`
      UPDATE webhooks
      SET test_until = now() + ${forSeconds} * interval '1 second', test_user_id = ${actor.userId}::uuid
      WHERE workflow_id = ${workflowId}::uuid AND node_id = ${nodeId}
      RETURNING suffix, test_until AS until`;
    if (!row) throw noSuchWebhook();
    return row;
  });
}

/** Reads the type of a node of the latest version of a workflow; "" when that has no such node. */
export async function readTriggerType(db: Database, workflowId: string, nodeId: string): Promise<string> {
  const [row] = await db.$queryRaw<{ type: string }[]>`
    SELECT node ->> 'type' AS type
    FROM workflows w JOIN workflow_versions v ON v.id = w.latest_version_id
      CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
    WHERE w.id = ${workflowId}::uuid AND node ->> 'id' = ${nodeId}`;
  return row?.type ?? '';
}

/** A node of a saved version, with the parts of the version that a webhook needs. They never change. */
export interface SavedTrigger {
  /** The node in the definition. */
  readonly node: unknown;
  /** `settings.rateLimit` of the definition; null without one. */
  readonly rateLimit: unknown;
  /** The node's encrypted secrets: parameter → JWE; null if there are none. */
  readonly sealedSecrets: unknown;
  /** Time limit of a run of the version. */
  readonly timeoutMs: number;
}

/** Reads one node of a version without the rest of its definition; undefined when the version has no such node. */
export async function readSavedTrigger(
  db: Database,
  versionId: string,
  nodeId: string,
): Promise<SavedTrigger | undefined> {
  const [row] = await db.$queryRaw<SavedTrigger[]>`
    SELECT node, v.definition #> '{settings,rateLimit}' AS "rateLimit", v.sealed_secrets -> ${nodeId} AS "sealedSecrets",
      v.timeout_ms::float8 AS "timeoutMs"
    FROM workflow_versions v CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
    WHERE v.id = ${versionId}::uuid AND node ->> 'id' = ${nodeId}`;
  return row;
}
