import { CronExpressionParser } from 'cron-parser';
import { IANAZone } from 'luxon';

/** The rule of a schedule, from its trigger. */
export interface DueRule {
  /** Five fields, or six with seconds first. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
}

/**
 * A clock change further away than this, in ms, does not affect the next time: none moves a clock by more than two
 * hours.
 */
const MAX_CHANGE_MS = 3 * 3_600_000;
/** Clock changes are further apart than this on either side, in ms. */
const DAY_MS = 24 * 3_600_000;
const HOURS = 24;

/** Returns how far a zone's clock is ahead of UTC at an instant, in ms. */
type Offset = (instant: number) => number;

/**
 * The first instant after `after` (ms since the epoch) at which a schedule is due.
 *
 * The expression is read as times on the wall and only then placed in the zone, because the parser's own way through a
 * clock change loses days (those whose midnight is skipped) and depends on where it began. The rules
 * (docs/decisions/0008):
 * - a time that the clock skips is due as long after the change as it lies in the gap, so 02:30 is due at 03:30;
 * - a time that the clock shows twice is due the first time;
 * - an expression with every hour is not a time of day but a rhythm: it is due whenever the wall shows a time of it, in
 *   both of two repeated hours and not for a skipped one.
 * @throws Error for an expression that the parser does not know or that is never due.
 */
export function nextDueTime({ cron, timezone }: DueRule, after: number): number {
  const zone = IANAZone.create(timezone);
  const offset: Offset = (instant) => zone.offset(instant) * 60_000;
  // Wall times before this one are past, even around a clock change.
  const start = after + Math.min(...[-MAX_CHANGE_MS, 0, MAX_CHANGE_MS].map((away) => offset(after + away)));
  const walls = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: new Date(start) });
  const isRhythm = walls.fields.hour.values.length === HOURS;
  let soonest = Number.POSITIVE_INFINITY;
  for (;;) {
    const wall = walls.next().getTime();
    const around = [offset(wall - DAY_MS), offset(wall + DAY_MS)];
    for (const instant of instantsOf(wall, { around, offset, isRhythm })) {
      if (instant > after) soonest = Math.min(soonest, instant);
    }
    // No later wall time can be due before this.
    if (wall - Math.max(...around) >= soonest) return soonest;
  }
}

/** Returns the instants at which a zone's clock shows a due time: one, or none or two around a clock change. */
function instantsOf(
  wall: number,
  { around, offset, isRhythm }: { around: readonly number[]; offset: Offset; isRhythm: boolean },
): number[] {
  const shown = [...new Set(around.map((ahead) => wall - ahead))].filter(
    (instant) => offset(instant) === wall - instant,
  );
  if (isRhythm || shown.length === 1) return shown;
  // Skipped: both offsets of that day give a time, and the one before the change is the later.
  if (shown.length === 0) return [Math.max(...around.map((ahead) => wall - ahead))];
  return [Math.min(...shown)];
}
