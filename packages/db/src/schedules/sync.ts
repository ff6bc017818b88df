import type { WorkflowStatus } from '@deckhand/contracts';
import { type Queryable, Prisma } from '../client.ts';
import { readDatabaseTime } from '../database-time.ts';

/** When a schedule is due. */
export interface ScheduleRule {
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
}

/** Computes the first time after `now` at which a schedule is due; `now` is the database's, in ms since the epoch. */
export type FirstDue = (rule: ScheduleRule, now: number) => Date;

interface ScheduleTrigger extends ScheduleRule {
  readonly nodeId: string;
  readonly catchUp: boolean;
  readonly maxOverlap: number;
  /** Serialised `StartOptions` of its runs; null without any. */
  readonly options: string | null;
}

/**
 * Updates a workflow's schedules to its status and its active version. Call it in the transaction that changes those.
 * An unchanged schedule keeps its next time, so that saving a workflow again at the wrong moment loses none. A new or
 * changed one, or one without a time, is due after now, by the database's clock. A paused one stays paused, also with
 * another version, and is deleted once the active version has no such trigger.
 *
 * Race: a time that is being fired. Both write the schedule's row, so one waits for the other, or finds
 * that the time has moved.
 */
export async function syncSchedules(
  tx: Queryable,
  workflow: { readonly id: string; readonly status: WorkflowStatus; readonly activeVersionId: string | null },
  firstDue: FirstDue,
): Promise<void> {
  const triggers = workflow.activeVersionId === null ? [] : await readTriggers(tx, workflow.activeVersionId);
  const nodeIds = triggers.map(({ nodeId }) => nodeId);
  await tx.schedule.deleteMany({ where: { workflowId: workflow.id, nodeId: { notIn: nodeIds } } });
  if (triggers.length === 0) return;
  const now = await readDatabaseTime(tx);
  const times = triggers.map((trigger) => (workflow.status === 'active' ? firstDue(trigger, now) : null));
  const stays = Prisma.sql`(s.cron = EXCLUDED.cron AND s.timezone = EXCLUDED.timezone
    AND s.next_fire_at IS NOT NULL AND EXCLUDED.next_fire_at IS NOT NULL)`;
  await tx.$executeRaw(Prisma.sql`
    INSERT INTO schedules AS s (workflow_id, workflow_version_id, node_id, cron, timezone, catch_up, max_overlap, start_options, next_fire_at, look_at)
    SELECT ${workflow.id}::uuid, ${workflow.activeVersionId}::uuid, t.*, t.next_fire_at
    FROM unnest(
      ${nodeIds}::text[],
      ${triggers.map(({ cron }) => cron)}::text[],
      ${triggers.map(({ timezone }) => timezone)}::text[],
      ${triggers.map(({ catchUp }) => catchUp)}::boolean[],
      ${triggers.map(({ maxOverlap }) => maxOverlap)}::int[],
      ${triggers.map(({ options }) => options)}::text[],
      ${times}::timestamptz[]
    ) AS t (node_id, cron, timezone, catch_up, max_overlap, start_options, next_fire_at)
    ON CONFLICT (workflow_id, node_id) DO UPDATE
    SET workflow_version_id = EXCLUDED.workflow_version_id, cron = EXCLUDED.cron, timezone = EXCLUDED.timezone,
        catch_up = EXCLUDED.catch_up, max_overlap = EXCLUDED.max_overlap,
        start_options = EXCLUDED.start_options,
        next_fire_at = CASE WHEN s.paused_at IS NOT NULL THEN NULL WHEN ${stays} THEN s.next_fire_at ELSE EXCLUDED.next_fire_at END,
        look_at = CASE WHEN s.paused_at IS NOT NULL THEN NULL WHEN ${stays} THEN s.look_at ELSE EXCLUDED.look_at END,
        held_by = CASE WHEN ${stays} THEN s.held_by END`);
}

/** Returns the enabled schedule triggers of a version, with their parameters, which were checked when it was saved. */
function readTriggers(tx: Queryable, versionId: string): Promise<ScheduleTrigger[]> {
  return tx.$queryRaw<ScheduleTrigger[]>`
    SELECT node ->> 'id' AS "nodeId", node #>> '{parameters,cron}' AS cron,
      coalesce(node #>> '{parameters,timezone}', 'UTC') AS timezone,
      coalesce(node #>> '{parameters,catchUp}', 'false') = 'true' AS "catchUp",
      coalesce((node #>> '{parameters,maxOverlap}')::int, 100) AS "maxOverlap", node #>> '{parameters,options}' AS options
    FROM workflow_versions v CROSS JOIN LATERAL json_array_elements(v.definition -> 'nodes') AS node
    WHERE v.id = ${versionId}::uuid AND node ->> 'type' = 'trigger.schedule'
      AND coalesce(node ->> 'disabled', 'false') <> 'true'`;
}
