import type { Database } from '../client.js';
import type { ScheduleRule } from './sync.js';

/** A schedule with a time that is due. */
export interface DueSchedule extends ScheduleRule {
  readonly workspaceId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly workflowVersionId: string;
  readonly catchUp: boolean;
  /** The time that is due. */
  readonly nextFireAt: Date;
  /** Whether a limit has delayed its run. */
  readonly isHeld: boolean;
}

/** Returns the schedules whose next check is due, those that have waited longest first. */
export function findDueSchedules(db: Database, now: Date, limit: number): Promise<DueSchedule[]> {
  // Served by the index on look_at.
  return db.$queryRaw<DueSchedule[]>`/* schedules.find-due */
    SELECT w.workspace_id AS "workspaceId", workflow_id AS "workflowId", node_id AS "nodeId", workflow_version_id AS "workflowVersionId", cron, timezone,
      catch_up AS "catchUp", next_fire_at AS "nextFireAt", held_by IS NOT NULL AS "isHeld"
    FROM schedules JOIN workflows w ON w.id = workflow_id WHERE look_at <= ${now}::timestamptz AND next_fire_at IS NOT NULL AND paused_at IS NULL
    ORDER BY look_at LIMIT ${limit}`;
}

/** Returns when the next check of a schedule is due; null if there is none. */
export async function findNextLook(db: Database): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ at: Date | null }[]>`/* schedules.find-next-look */
    SELECT min(look_at) AS at FROM schedules`;
  return row?.at ?? null;
}
