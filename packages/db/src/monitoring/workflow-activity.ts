import type { ExecutionStatus, WorkflowActivity } from '@deckhand/contracts';
import { type Actor, memberMay, requirePermission } from '../access.ts';
import { type Database, Prisma } from '../client.ts';
import { BEGAN_AT } from '../executions/read/filter.ts';

/** Failed runs of a workspace that are counted at most: each is read. */
const MAX_FAILURES = 20_000;

interface Row {
  readonly workflowId: string;
  readonly runId: string | null;
  readonly status: ExecutionStatus | null;
  readonly startedAt: Date | null;
  readonly failedRuns: number;
  readonly hasWebhook: boolean;
  readonly hasSchedule: boolean;
  readonly hasEvent: boolean;
}

/**
 * Reads the last run, the failed runs of the last 24 hours, and the kinds of triggers of workflows. Its cost depends on
 * the number of workflows and of these failures, up to 20,000, and not on the number of runs.
 * @param source the database that is read: a replica, or `db`, which decides what the actor may see.
 * @throws DeckhandError FORBIDDEN for no member; WORKSPACE_MISMATCH.
 */
export async function readWorkflowActivity(
  db: Database,
  actor: Actor,
  { workspaceId, workflowIds }: { readonly workspaceId: string; readonly workflowIds: readonly string[] },
  source = db,
): Promise<WorkflowActivity> {
  await requirePermission(db, actor, workspaceId, 'runs.read');
  // Served by executions_with_status, and for the last runs by executions_of_workflow.
  const rows = await source.$queryRaw<Row[]>(Prisma.sql`
    WITH failures AS (
      SELECT workflow_id, count(*)::int AS count FROM (
        SELECT e.workflow_id FROM executions e
        WHERE e.workspace_id = ${workspaceId}::uuid AND e.status IN ('failed', 'timeout')
          AND e.execution_mode IN ('normal', 'sandbox') AND ${BEGAN_AT} >= now() - interval '24 hours'
        ORDER BY ${BEGAN_AT} DESC, e.id DESC LIMIT ${MAX_FAILURES}
      ) recent GROUP BY workflow_id
    )
    SELECT w.id AS "workflowId", last_run.id AS "runId", last_run.status::text, last_run.at AS "startedAt",
      coalesce(f.count, 0) AS "failedRuns",
      EXISTS (SELECT 1 FROM webhooks h WHERE h.workflow_id = w.id) AS "hasWebhook",
      EXISTS (SELECT 1 FROM schedules s WHERE s.workflow_id = w.id) AS "hasSchedule",
      EXISTS (SELECT 1 FROM event_triggers t WHERE t.workflow_id = w.id) AS "hasEvent"
    FROM workflows w LEFT JOIN failures f ON f.workflow_id = w.id
    LEFT JOIN LATERAL (
      SELECT e.id, e.status, ${BEGAN_AT} AS at FROM executions e WHERE e.workflow_id = w.id
      ORDER BY ${BEGAN_AT} DESC, e.id DESC LIMIT 1
    ) last_run ON true
    WHERE w.id = ANY (${[...workflowIds]}::uuid[]) AND w.workspace_id = ${workspaceId}::uuid
      AND EXISTS (SELECT 1 FROM memberships m WHERE m.workspace_id = w.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')})
    ORDER BY w.id`);
  return {
    workspaceId,
    data: rows.map(({ workflowId, runId, status, startedAt, failedRuns, ...has }) => ({
      workflowId,
      lastRun: runId && status && startedAt ? { id: runId, status, startedAt: startedAt.toISOString() } : null,
      failedRuns,
      triggers: [
        ...(has.hasWebhook ? (['webhook'] as const) : []),
        ...(has.hasSchedule ? (['schedule'] as const) : []),
        ...(has.hasEvent ? (['event'] as const) : []),
      ],
    })),
  };
}
