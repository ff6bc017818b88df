import { memberMay } from '../../access.ts';
import { parseOwnJson } from '@deckhand/contracts';
import { Prisma } from '../../client.ts';
import type { Counted, Unsettled } from './settle-starts.ts';
import type { Accepted, ChosenVersion, OtherBody, Repeated, StartRefusal, StartRequest } from './start-request.ts';
import { NO_DEADLINE } from '../run-status.ts';

/** The verdict of a statement on a request. */
export type WriteVerdict = Accepted | StartRefusal | Unsettled;

/** The verdict on a request that may have an idempotency key. */
export type OnceVerdict = WriteVerdict | Repeated | OtherBody;

/** A verdict as a row of the database. */
export interface VerdictRow {
  readonly verdict: WriteVerdict['kind'];
  readonly workspaceId: string | null;
  readonly executionsPerMinute: number | null;
  readonly workflowVersionId: string | null;
  readonly triggerNodeId: string | null;
  readonly deadlineAt: Date | null;
  readonly isLimited: boolean | null;
  readonly isDelayed: boolean | null;
  /** Serialised, of the workflow; null unless the request needs its key. */
  readonly concurrency: string | null;
  /** Serialised, of the trigger; null unless the input has to be checked. */
  readonly inputSchema: string | null;
}

/** The columns of a VerdictRow, from `admitted a`. */
export const verdictColumns = Prisma.sql`a.verdict, a.workspace_id AS "workspaceId",
  a.executions_per_minute AS "executionsPerMinute", a.version_id AS "workflowVersionId",
  a.start_node_id AS "triggerNodeId", a.deadline_at AS "deadlineAt", a.is_limited AS "isLimited", a.is_delayed AS "isDelayed",
  a.workflow_concurrency AS concurrency, a.input_schema AS "inputSchema"`;

/** Whether the run was created. */
export function isAccepted(verdict: { readonly kind: string } | Accepted): verdict is Accepted {
  return verdict.kind === 'accepted';
}

/** Converts a row to a verdict. */
export function toVerdict(row: VerdictRow): WriteVerdict {
  const {
    verdict,
    executionsPerMinute,
    workflowVersionId,
    triggerNodeId,
    deadlineAt,
    isLimited,
    isDelayed: isLater,
  } = row;
  const workspaceId = row.workspaceId ?? '';
  if (verdict === 'needsCheck') {
    const [versionId, nodeId, inputSchema] = [workflowVersionId ?? '', triggerNodeId ?? '', row.inputSchema ?? '{}'];
    return { kind: verdict, workspaceId, workflowVersionId: versionId, triggerNodeId: nodeId, inputSchema };
  }
  if (verdict === 'notCounted') return { kind: verdict, workspaceId, executionsPerMinute: executionsPerMinute ?? 0 };
  if (verdict === 'needsKey') return { kind: verdict, concurrency: parseOwnJson(row.concurrency ?? '{}') };
  if (verdict !== 'accepted') return { kind: verdict };
  const isWhole = workflowVersionId !== null && triggerNodeId !== null && deadlineAt !== null;
  return {
    kind: verdict,
    workspaceId,
    run: isWhole
      ? { workflowVersionId, triggerNodeId, deadlineAt, isLimited: isLimited ?? true, isDelayed: isLater ?? false }
      : null,
  };
}

/** Whether a rerun starts from a trigger that was disabled since: it fires no more, but its runs can be rerun. */
const isRerunOfDisabled = Prisma.sql`(asked.source = 'rerun' AND EXISTS (
          SELECT 1 FROM json_array_elements(v.definition -> 'nodes') AS node
          WHERE node ->> 'id' = asked.trigger_node_id AND node ->> 'type' LIKE 'trigger.%' AND node ->> 'disabled' = 'true'))`;

/** Whether the URL by which a webhook was found still leads to that trigger of the active version. */
const isStillWebhook = Prisma.sql`(w.status = 'active' AND v.id = w.active_version_id AND EXISTS (
          SELECT 1 FROM webhooks h
          WHERE h.suffix = asked.webhook_suffix AND h.workflow_id = w.id AND h.node_id = asked.trigger_node_id))`;

/**
 * Whether the input has to be checked first. A rerun repeats what was accepted before, whatever the schema is now; and
 * the service makes the input of an error workflow.
 */
const NEEDS_CHECK = Prisma.sql`(asked.source NOT IN ('rerun', 'error') AND ${needsCheck(Prisma.sql`asked.checked_version_id`, Prisma.sql`coalesce(asked.trigger_node_id, v.trigger_node_ids[1])`)})`;

/**
 * Whether a person asks for a version that is neither the latest nor the active one. One that was when the request was
 * read may have been replaced since.
 */
const IS_OLD_VERSION = Prisma.sql`(asked.asked_version_id IS NOT NULL AND NOT asked.was_current
          AND v.id IS DISTINCT FROM w.latest_version_id AND v.id IS DISTINCT FROM w.active_version_id)`;

const ASKED_OPTIONS = Prisma.sql`asked.options`;

/** The columns of a request that is `asked`, and the verdict on it. */
const ADMISSION = Prisma.sql`asked.*, w.workspace_id, v.id AS version_id, ws.executions_per_minute,
      ${optionDeadline(ASKED_OPTIONS)} AS deadline_at,
      ${optionTimeLeft(ASKED_OPTIONS)} AS time_left_ms,
      ws.max_concurrent_executions IS NOT NULL OR w.max_concurrent_executions IS NOT NULL AS is_limited,
      ${isDelayed(ASKED_OPTIONS)} AS is_delayed,
      coalesce(asked.trigger_node_id, v.trigger_node_ids[1]) AS start_node_id,
      CASE WHEN ${needsKey(ASKED_OPTIONS)} THEN v.concurrency::text END AS workflow_concurrency,
      CASE WHEN ${NEEDS_CHECK}
        THEN (v.input_schemas -> coalesce(asked.trigger_node_id, v.trigger_node_ids[1]))::text END AS input_schema,
      CASE
        WHEN asked.webhook_suffix IS NOT NULL AND ${isStillWebhook} IS NOT TRUE THEN 'webhookMoved'
        WHEN w.id IS NULL OR (asked.user_id IS NOT NULL AND ${memberMay('workflows.read')} IS NOT TRUE) THEN 'notFound'
        WHEN NOT ${memberMay('runs.start')} THEN 'forbidden'
        WHEN asked.user_id IS NULL AND w.status <> 'active' THEN 'inactive'
        WHEN v.id IS NULL THEN 'noVersion'
        WHEN ${IS_OLD_VERSION} AND NOT ${memberMay('runs.test')} THEN 'oldVersion'
        WHEN cardinality(v.trigger_node_ids) = 0 AND asked.source <> 'rerun' THEN 'noTrigger'
        WHEN asked.trigger_node_id <> ALL (v.trigger_node_ids) AND NOT ${isRerunOfDisabled} THEN 'unknownTrigger'
        WHEN ${NEEDS_CHECK} THEN 'needsCheck'
        WHEN ws.stored_bytes >= ws.storage_quota_bytes THEN 'overQuota'
        WHEN ${needsKey(ASKED_OPTIONS)} THEN 'needsKey'
        WHEN ws.executions_per_minute <> coalesce(asked.counted_under, 0) THEN 'notCounted'
        ELSE 'accepted'
      END AS verdict`;

/** What the verdict depends on. Every join follows a primary key. */
const JOINS = Prisma.sql`LEFT JOIN workflows w
      ON w.id = asked.workflow_id AND (asked.bound_to IS NULL OR asked.bound_to = w.workspace_id)
    LEFT JOIN memberships m ON m.workspace_id = w.workspace_id AND m.user_id = asked.user_id
    LEFT JOIN workspaces ws ON ws.id = w.workspace_id
    LEFT JOIN workflow_versions v
      ON ${isChosenVersion(Prisma.sql`asked.asked_version_id`, Prisma.sql`asked.asks_active`)}`;

/**
 * Returns the requests with a verdict each, as SQL. It checks that the caller can see the workflow and has a
 * sufficient role, also for an old version (or, without a caller, that the workflow is active), that the workflow has
 * a version with that trigger, that the workspace is below its quota, and whether its runs are counted. The planner
 * does not see how many requests there are: otherwise it would plan the statement anew for each call
 * (docs/decisions/0035).
 */
export function admitted(requests: readonly Counted<StartRequest>[]): Prisma.Sql {
  return Prisma.sql`
    SELECT ${ADMISSION}
    FROM unnest(
      (SELECT ${requests.map((request) => request.executionId)}::uuid[]),
      ${requests.map((request) => request.workflowId)}::uuid[],
      ${requests.map((request) => request.actor?.userId ?? null)}::uuid[],
      ${requests.map((request) => request.workspaceId ?? request.actor?.boundTo ?? null)}::uuid[],
      ${requests.map((request) => request.versionId ?? null)}::uuid[],
      ${requests.map((request) => request.isActiveVersion ?? false)}::boolean[],
      ${requests.map((request) => request.triggerNodeId)}::text[],
      ${requests.map((request) => request.webhookSuffix ?? null)}::text[],
      ${requests.map((request) => request.mode)}::execution_mode[],
      ${requests.map((request) => request.source)}::execution_source[],
      ${requests.map((request) => request.triggerData)}::text[],
      ${requests.map((request) => request.rerunOf ?? null)}::uuid[],
      ${requests.map((request) => request.rerunFromNodeId ?? null)}::text[],
      ${requests.map((request) => request.rerunIterations ?? null)}::text[],
      ${requests.map((request) => request.untilNodeId ?? null)}::text[],
      ${requests.map((request) => request.mocks ?? null)}::text[],
      ${requests.map((request) => request.countedUnder ?? null)}::int[],
      ${requests.map((request) => request.traceParent ?? null)}::text[],
      ${requests.map((request) => request.options ?? null)}::jsonb[],
      ${requests.map((request) => request.errorOf ?? null)}::uuid[],
      ${requests.map((request) => request.checkedVersionId ?? null)}::uuid[],
      ${requests.map((request) => request.wasCurrentVersion ?? false)}::boolean[]
    ) AS asked (id, workflow_id, user_id, bound_to, asked_version_id, asks_active, trigger_node_id, webhook_suffix, mode, source, trigger_data,
      rerun_of, rerun_from_node_id, rerun_iterations, until_node_id, mocks, counted_under, trace_parent, options, error_of, checked_version_id, was_current)
    ${JOINS}`;
}

/**
 * Who was involved before the run of `admitted`, for four eyes: whoever started the run that it reruns, or that it is
 * started for, or was involved in that one. Kept with the run, because the other one may be deleted. Served by the
 * primary key, and read for such runs only.
 */
const INVOLVED = Prisma.sql`CASE WHEN coalesce(rerun_of, error_of) IS NOT NULL THEN (
          SELECT array_agg(DISTINCT p.id)
          FROM executions o CROSS JOIN LATERAL unnest(array_append(o.involved, o.started_by)) AS p (id)
          WHERE o.id = coalesce(admitted.rerun_of, admitted.error_of) AND p.id IS NOT NULL) END`;

/** Whether the run of `admitted` reuses outputs of a run that mocks gave: theirs are deleted earlier. */
const HAS_MOCKED = Prisma.sql`CASE WHEN rerun_from_node_id IS NOT NULL THEN (
          SELECT true FROM executions o WHERE o.id = admitted.rerun_of AND (o.mocks IS NOT NULL OR o.has_mocked)) END`;

/**
 * Returns the common table expressions `inserted` and `stored`, which insert the runs of `admitted` that meet the
 * condition and add their bytes to the workspace's.
 */
export function insertion(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    inserted AS (
      INSERT INTO executions (
        id, workspace_id, workflow_id, workflow_version_id, execution_mode, source, trigger_node_id, trigger_data,
        rerun_of, rerun_from_node_id, rerun_iterations, until_node_id, mocks, created_at, dispatched_at, deadline_at, time_left_ms, stored_bytes,
        trace_parent, error_of, started_by, involved, has_mocked, ${OPTION_COLUMNS}
      )
      SELECT id, workspace_id, workflow_id, version_id, mode, source, start_node_id, trigger_data,
        rerun_of, rerun_from_node_id, rerun_iterations, until_node_id, mocks, now(), now(), deadline_at, time_left_ms,
        octet_length(trigger_data) + coalesce(octet_length(mocks), 0) + ${optionBytes(Prisma.sql`options`)}, trace_parent, error_of, user_id,
        ${INVOLVED}, ${HAS_MOCKED},
        ${optionValues(Prisma.sql`options`)}
      FROM admitted
      WHERE ${condition}
      ON CONFLICT (id) DO NOTHING
      RETURNING id, workspace_id, stored_bytes
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes)
      SELECT workspace_id, sum(stored_bytes) FROM inserted GROUP BY workspace_id
    )`;
}

/**
 * Converts a choice of a version to the columns of a request. @param version `latest`, `active`, `original`, or the id
 * of a version. @param originalId the version that `original` stands for.
 */
export function chooseVersion(version: string, originalId?: string): ChosenVersion {
  switch (version) {
    case 'latest':
      return {};
    case 'active':
      return { isActiveVersion: true };
    case 'original':
      return { versionId: originalId };
    default:
      return { versionId: version.toLowerCase() };
  }
}

/**
 * Returns the condition that the version `v` is the chosen one of the workflow `w`. Versions of other workflows never
 * match.
 */
export function isChosenVersion(versionId: Prisma.Sql, isActive: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`v.workflow_id = w.id
    AND v.id = coalesce(${versionId}, CASE WHEN ${isActive} THEN w.active_version_id ELSE w.latest_version_id END)`;
}

// Options of a start as SQL. A statement gets them as `jsonb`, null for a run without any, so that such a run costs a
// null and nothing else.

/** The columns of a run that its options are written to. */
export const OPTION_COLUMNS = Prisma.raw(
  'tags, metadata, start_at, expires_at, wake_at, claimed_dispatch, concurrency_key, concurrency_limit, holds_key, callback_url, priority',
);

/** Returns when a run starts; null for at once. Until then, it rests without a job: `wake_at` is that time. */
function startAt(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`nullif(greatest(now(), (${options} ->> 'startAt')::timestamptz,
    now() + (${options} ->> 'delay')::float8 * interval '1 second'), now())`;
}

/**
 * Returns whether a run rests when it is accepted: it starts later, or once it has a slot of its key. Its first
 * dispatch counts as claimed, so no worker can claim it, neither by a statement nor by a first checkpoint.
 */
function isDelayed(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${startAt(options)} IS NOT NULL OR ${options} -> 'concurrency' IS NOT NULL)`;
}

/** Returns whether the version `v` limits its runs, and a run has no limit of its own, nor was found to have none. */
export function needsKey(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(v.concurrency IS NOT NULL AND ${options} -> 'concurrency' IS NULL AND ${options} -> 'withoutKey' IS NULL)`;
}

/**
 * Returns whether a trigger of the version `v` enforces a schema, and the input of a run was not checked against it.
 * The schemas of a checked input are not read.
 */
export function needsCheck(checkedVersionId: Prisma.Sql, triggerNodeId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(v.input_schemas IS NOT NULL AND ${checkedVersionId} IS DISTINCT FROM v.id
    AND (v.input_schemas -> ${triggerNodeId}) IS NOT NULL)`;
}

/** Returns the values of these columns. */
export function optionValues(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${options} -> 'tags' IS NOT NULL
    THEN nullif(ARRAY(SELECT jsonb_array_elements_text(${options} -> 'tags')), '{}') END, ${options} -> 'metadata',
    ${startAt(options)}, coalesce((${options} ->> 'expiresAt')::timestamptz,
      coalesce(${startAt(options)}, now()) + (${options} ->> 'expiresAfter')::float8 * interval '1 second'),
    ${startAt(options)}, CASE WHEN ${isDelayed(options)} THEN 1 ELSE 0 END, ${options} #>> '{concurrency,key}',
    CASE WHEN ${options} -> 'concurrency' IS NOT NULL THEN coalesce((${options} #>> '{concurrency,limit}')::int, 1) END,
    CASE WHEN ${options} -> 'concurrency' IS NOT NULL THEN false END, ${options} ->> 'callbackUrl',
    nullif((${options} ->> 'priority')::int, 0)`;
}

/** Returns how many bytes of a run's options count towards the quota of its workspace. */
export function optionBytes(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce(octet_length((${options} -> 'metadata')::text), 0)`;
}

/** Returns the time limit of a run of the version `v` that includes rests, in ms; null without one. */
function timeoutMs(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce((${options} ->> 'timeoutSeconds')::float8 * 1000,
    CASE WHEN NOT v.counts_held_time THEN v.timeout_ms END)`;
}

/** Returns when a run of the version `v` times out. */
export function optionDeadline(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce((coalesce(${startAt(options)}, now()) + ${timeoutMs(options)} * interval '1 millisecond')::timestamptz(3), ${NO_DEADLINE})`;
}

/** Returns for how long workers may hold a run of the version `v`, in ms; null for a run with another time limit. */
export function optionTimeLeft(options: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN v.counts_held_time AND ${options} -> 'timeoutSeconds' IS NULL THEN v.timeout_ms END`;
}
