import type { Database } from '../client.js';
import type { DueSchedule } from './find-due.js';

/** A schedule whose run is delayed. */
export interface ScheduleHold {
  readonly schedule: DueSchedule;
  /** Error code of the reason. */
  readonly by: string;
  /** When to try again. */
  readonly until: Date;
}

/**
 * Delays schedules, with their due times, unless another process moved or locked them in the meantime. @returns how
 * many.
 */
export function holdSchedules(db: Database, holds: readonly ScheduleHold[]): Promise<number> {
  return db.$executeRaw`/* schedules.hold */
    WITH h AS (
      SELECT h.* FROM unnest(
        ${holds.map(({ schedule }) => schedule.workflowId)}::uuid[],
        ${holds.map(({ schedule }) => schedule.nodeId)}::text[],
        ${holds.map(({ schedule }) => schedule.nextFireAt)}::timestamptz[],
        ${holds.map(({ until }) => until)}::timestamptz[],
        ${holds.map(({ by }) => by)}::text[]
      ) AS h (workflow_id, node_id, due_at, until, by)
      JOIN schedules s ON s.workflow_id = h.workflow_id AND s.node_id = h.node_id AND s.next_fire_at = h.due_at
      FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE schedules s SET look_at = h.until, held_by = h.by
    FROM h WHERE s.workflow_id = h.workflow_id AND s.node_id = h.node_id AND s.next_fire_at = h.due_at`;
}
