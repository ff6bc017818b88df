import type { ExecutionMode, ExecutionSource } from '@deckhand/contracts';
import type { Actor } from '../access.js';
import type { Database } from '../client.js';
import { isDatabaseUnavailable } from '../unavailable.js';

/** A run that somebody asked for. */
export interface AcceptRequest {
  /** Chosen before, so that accepting it again after an ambiguous error is harmless. */
  readonly executionId: string;
  readonly workflowId: string;
  readonly actor: Actor;
  /** Null takes the version's default trigger. */
  readonly triggerNodeId: string | null;
  readonly mode: ExecutionMode;
  readonly source: ExecutionSource;
  /** Serialised JSON. */
  readonly triggerData: string;
  /** The run that this one repeats. */
  readonly rerunOf?: string;
}

/** What became of a request; only `accepted` made a run. */
export type AcceptVerdict =
  'accepted' | 'notFound' | 'forbidden' | 'noVersion' | 'noTrigger' | 'unknownTrigger' | 'overQuota';

/** How long after a lost connection the batch is tried again, in ms. */
const RETRY_DELAY_MS = 100;

/**
 * Judges and inserts a batch of runs in one statement: whether each workflow is visible to who asks, whether the role
 * suffices, whether it has a version with that trigger, whether the workspace is under its quota. When the connection
 * breaks the batch is tried once more; a run that had landed counts as accepted, whatever changed since.
 * @returns a verdict per request, in their order.
 */
export async function acceptExecutions(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  try {
    return await insertJudged(db, requests);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  const verdicts = await insertJudged(db, requests);
  const landed = await findLanded(
    db,
    requests.filter((_, index) => verdicts[index] !== 'accepted').map(({ executionId }) => executionId),
  );
  return requests.map(({ executionId }, index) =>
    landed.has(executionId) ? 'accepted' : (verdicts[index] ?? 'notFound'),
  );
}

interface Refusal {
  readonly id: string;
  readonly verdict: AcceptVerdict;
}

/** Only refusals come back, so that the common case reads no rows. Every join follows a primary key. */
async function insertJudged(db: Database, requests: readonly AcceptRequest[]): Promise<AcceptVerdict[]> {
  const refusals = await db.$queryRaw<Refusal[]>`/* executions.accept */
    WITH judged AS (
      SELECT asked.*, w.workspace_id, v.id AS version_id, v.timeout_ms,
        coalesce(asked.trigger_node_id, v.trigger_node_ids[1]) AS start_node_id,
        CASE
          WHEN m.role IS NULL THEN 'notFound'
          WHEN m.role = 'viewer' THEN 'forbidden'
          WHEN v.id IS NULL THEN 'noVersion'
          WHEN cardinality(v.trigger_node_ids) = 0 THEN 'noTrigger'
          WHEN asked.trigger_node_id <> ALL (v.trigger_node_ids) THEN 'unknownTrigger'
          WHEN ws.stored_bytes >= ws.storage_quota_bytes THEN 'overQuota'
          ELSE 'accepted'
        END AS verdict
      FROM unnest(
        ${requests.map((request) => request.executionId)}::uuid[],
        ${requests.map((request) => request.workflowId)}::uuid[],
        ${requests.map((request) => request.actor.userId)}::uuid[],
        ${requests.map((request) => request.actor.boundTo)}::uuid[],
        ${requests.map((request) => request.triggerNodeId)}::text[],
        ${requests.map((request) => request.mode)}::execution_mode[],
        ${requests.map((request) => request.source)}::execution_source[],
        ${requests.map((request) => request.triggerData)}::text[],
        ${requests.map((request) => request.rerunOf ?? null)}::uuid[]
      ) AS asked (id, workflow_id, user_id, bound_to, trigger_node_id, mode, source, trigger_data, rerun_of)
      LEFT JOIN workflows w
        ON w.id = asked.workflow_id AND (asked.bound_to IS NULL OR asked.bound_to = w.workspace_id)
      LEFT JOIN memberships m ON m.workspace_id = w.workspace_id AND m.user_id = asked.user_id
      LEFT JOIN workspaces ws ON ws.id = w.workspace_id
      LEFT JOIN workflow_versions v ON v.id = w.latest_version_id
    ), inserted AS (
      INSERT INTO executions (
        id, workspace_id, workflow_id, workflow_version_id, execution_mode, source, trigger_node_id, trigger_data,
        rerun_of, created_at, dispatched_at, deadline_at, stored_bytes
      )
      SELECT id, workspace_id, workflow_id, version_id, mode, source, start_node_id, trigger_data,
        rerun_of, now(), now(), now() + timeout_ms * interval '1 millisecond', octet_length(trigger_data)
      FROM judged
      WHERE verdict = 'accepted'
      ON CONFLICT (id) DO NOTHING
      RETURNING workspace_id, stored_bytes
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes)
      SELECT workspace_id, sum(stored_bytes) FROM inserted GROUP BY workspace_id
    )
    SELECT id, verdict FROM judged WHERE verdict <> 'accepted'`;
  const verdicts = new Map(refusals.map(({ id, verdict }) => [id, verdict]));
  return requests.map(({ executionId }) => verdicts.get(executionId) ?? 'accepted');
}

async function findLanded(db: Database, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.$queryRaw<{ id: string }[]>`SELECT id FROM executions WHERE id = ANY (${ids}::uuid[])`;
  return new Set(rows.map((row) => row.id));
}
