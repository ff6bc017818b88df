import type { Database } from '../client.js';
import type { DueSchedule } from './find-due.js';

/** A schedule whose run is not let in yet. */
export interface ScheduleHold {
  readonly schedule: DueSchedule;
  /** Error code of what holds it back. */
  readonly by: string;
  /** When to try again. */
  readonly until: Date;
}

/** Lets schedules wait with the time that is due, unless somebody moved them meanwhile. */
export async function holdSchedules(db: Database, holds: readonly ScheduleHold[]): Promise<void> {
  await db.$executeRaw`/* schedules.hold */
    UPDATE schedules s SET look_at = h.until, held_by = h.by
    FROM unnest(
      ${holds.map(({ schedule }) => schedule.workflowId)}::uuid[],
      ${holds.map(({ schedule }) => schedule.nodeId)}::text[],
      ${holds.map(({ schedule }) => schedule.nextFireAt)}::timestamptz[],
      ${holds.map(({ until }) => until)}::timestamptz[],
      ${holds.map(({ by }) => by)}::text[]
    ) AS h (workflow_id, node_id, due_at, until, by)
    WHERE s.workflow_id = h.workflow_id AND s.node_id = h.node_id AND s.next_fire_at = h.due_at`;
}
