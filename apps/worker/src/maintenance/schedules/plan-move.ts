import type { DueSchedule, ScheduleMove } from '@deckhand/db';
import { compileTriggerOptions, type DueRule, nextDueTime } from '@deckhand/nodes';
import { derivedId } from '../../session/derived-id.ts';

/**
 * A due time that is later than this was missed, in ms, because no worker was running. Another holder of the lease
 * takes less time.
 */
const MISSED_AFTER_MS = 60_000;
/** Precision of the search for the last missed time, in ms: schedules have whole seconds. */
const SECOND_MS = 1_000;

/** What happens with a due time: ms since the epoch. */
export interface PlannedMove {
  /** The time to start a run for; null if it was missed. */
  readonly fireAt: number | null;
  readonly isCatchUp: boolean;
  readonly nextFireAt: number;
}

/**
 * Plans the next time of a schedule. Each due time that is at most a minute late gets its run, one after another. Of
 * missed times only the last one gets a run, if the schedule catches up, and only if no other time has become due
 * meanwhile. Of times that passed while a limit delayed the schedule, the last one gets a run, however late it is.
 */
export function planMove(schedule: DueSchedule, now: number): PlannedMove {
  const due = schedule.nextFireAt.getTime();
  if (schedule.isHeld) {
    const fireAt = lastDueTime(schedule, due, now);
    return { fireAt, isCatchUp: now - fireAt > MISSED_AFTER_MS, nextFireAt: nextDueTime(schedule, fireAt) };
  }
  if (now - due <= MISSED_AFTER_MS) {
    return { fireAt: due, isCatchUp: false, nextFireAt: nextDueTime(schedule, due) };
  }
  const nextFireAt = nextDueTime(schedule, now - MISSED_AFTER_MS);
  const isWanted = schedule.catchUp && nextFireAt > now;
  return { fireAt: isWanted ? lastDueTime(schedule, due, now) : null, isCatchUp: isWanted, nextFireAt };
}

/** Returns the last due time from `due` (included) until `now`. */
function lastDueTime(rule: DueRule, due: number, now: number): number {
  let last = due;
  let end = now;
  while (end - last > SECOND_MS) {
    const middle = Math.floor((last + end) / 2);
    const next = nextDueTime(rule, middle);
    if (next <= now) last = next;
    else end = middle;
  }
  return last;
}

/**
 * Returns the move of a schedule from its due time, with the run of that time. The run's id is derived from schedule
 * and time, so one time has one run even if a clock that was set back makes it due again.
 * @param now ms since the epoch.
 */
export function toScheduleMove(schedule: DueSchedule, now: number): ScheduleMove {
  const { workflowId, nodeId, timezone, options } = schedule;
  const { fireAt, isCatchUp, nextFireAt } = planMove(schedule, now);
  const move = { schedule, nextFireAt: new Date(nextFireAt) };
  if (fireAt === null) return { ...move, fireAt, request: null };
  const at = new Date(fireAt);
  const trigger = { scheduledFor: at.toISOString(), timezone, nodeId, isCatchUp };
  return {
    ...move,
    fireAt: at,
    request: {
      executionId: derivedId(fireAt, `${workflowId}/${nodeId}/${fireAt}`),
      workflowId,
      actor: null,
      versionId: schedule.workflowVersionId,
      triggerNodeId: nodeId,
      mode: 'normal',
      source: 'schedule',
      triggerData: JSON.stringify(trigger),
      options: compileTriggerOptions(options ?? undefined)(() => trigger),
    },
  };
}
