import type { DueSchedule } from '@deckhand/db';
import { type DueRule, nextDueTime } from '@deckhand/nodes';

/**
 * A time that is later than this was missed, in ms: whoever was to fire it was not there. Less is what a change of
 * hands takes.
 */
const MISSED_AFTER_MS = 60_000;
/** How closely the last of the missed times is looked for, in ms: schedules have whole seconds. */
const SECOND_MS = 1_000;

/** What is to become of the time that is due: ms since the epoch. */
export interface PlannedMove {
  /** The time to start a run for; null when it was missed. */
  readonly fireAt: number | null;
  readonly isCatchUp: boolean;
  readonly nextFireAt: number;
}

/**
 * Plans how a schedule goes on from the time that is due. Each time that is at most a minute late gets its run, one
 * after the other. Of those that are later than that one gets a run, the last, if the schedule is to catch up or a
 * limit held it back, and if no other time has come meanwhile; the others get none.
 */
export function planMove(schedule: DueSchedule, now: number): PlannedMove {
  const due = schedule.nextFireAt.getTime();
  if (now - due <= MISSED_AFTER_MS) {
    return { fireAt: due, isCatchUp: false, nextFireAt: nextDueTime(schedule, due) };
  }
  const nextFireAt = nextDueTime(schedule, now - MISSED_AFTER_MS);
  const isWanted = (schedule.catchUp || schedule.isHeld) && nextFireAt > now;
  return { fireAt: isWanted ? lastDueTime(schedule, due, now) : null, isCatchUp: isWanted, nextFireAt };
}

/** The last time that is due from `due`, which is, until `now`. */
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
