import type { WorkflowStatus } from '@deckhand/contracts';
import type { Database } from '../client.js';

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
 * Looks up many webhooks by their URL suffixes; unknown ones are undefined. The result is never cached: a change of a
 * workflow or its URL takes effect with its response, for every replica. Served by the primary keys of both tables.
 */
export async function findWebhooks(db: Database, suffixes: readonly string[]): Promise<(FoundWebhook | undefined)[]> {
  const rows = await db.$queryRaw<FoundWebhook[]>`/* webhooks.find */
    SELECT h.suffix, h.node_id AS "nodeId", h.workflow_id AS "workflowId", w.workspace_id AS "workspaceId",
      w.status::text AS status, w.active_version_id AS "activeVersionId", w.latest_version_id AS "latestVersionId",
      CASE WHEN h.test_until > now() THEN h.test_user_id END AS "testUserId"
    FROM webhooks h JOIN workflows w ON w.id = h.workflow_id
    WHERE h.suffix = ANY (${[...new Set(suffixes)]}::text[])`;
  const found = new Map(rows.map((row) => [row.suffix, row]));
  return suffixes.map((suffix) => found.get(suffix));
}
