import { makeDate } from '../date.ts';
import { fail } from '../failure.ts';

const milliseconds = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

/** A unit of time of constant length (in UTC, where all days have the same length). */
type FixedUnit = keyof typeof milliseconds;

/** A unit of time. */
export type TimeUnit = FixedUnit | 'month' | 'year';

function isFixedUnit(unit: string): unit is FixedUnit {
  return Object.hasOwn(milliseconds, unit);
}

/** Parses a unit in the singular or plural. @throws EvaluationFailure for other texts. */
export function readUnit(text: string): TimeUnit {
  const unit = text.endsWith('s') ? text.slice(0, -1) : text;
  if (isFixedUnit(unit) || unit === 'month' || unit === 'year') return unit;
  return fail('the unit must be years, months, weeks, days, hours, minutes, seconds or milliseconds');
}

/** Returns `date` moved by `amount` units, which may be negative. In a shorter month, the result is its last day. */
export function addTime(date: Date, amount: number, unit: TimeUnit): Date {
  if (unit !== 'month' && unit !== 'year') return makeDate(date.getTime() + amount * milliseconds[unit]);
  const months = Math.trunc(unit === 'year' ? amount * 12 : amount);
  const firstOfMonth = new Date(date.getTime());
  firstOfMonth.setUTCDate(1);
  firstOfMonth.setUTCMonth(firstOfMonth.getUTCMonth() + months);
  const moved = makeDate(firstOfMonth.getTime());
  const daysOfMonth = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(date.getUTCDate(), daysOfMonth));
  return moved;
}

/** Returns the number of units between two dates, with fractions; negative when `date` is the earlier one. */
export function timeBetween(date: Date, other: Date, unit: TimeUnit): number {
  if (unit === 'month' || unit === 'year')
    return fail('diff counts weeks, days, hours, minutes, seconds or milliseconds');
  return (date.getTime() - other.getTime()) / milliseconds[unit];
}

/** Returns the start of the year, month, week (Monday), day, hour, minute or second of `date`, in UTC. */
export function startOfUnit(date: Date, unit: TimeUnit): Date {
  if (unit === 'year') return makeDate(utcMidnight(date.getUTCFullYear(), 0, 1));
  if (unit === 'month') return makeDate(utcMidnight(date.getUTCFullYear(), date.getUTCMonth(), 1));
  if (unit === 'week') {
    const daysSinceMonday = (date.getUTCDay() + 6) % 7;
    return addTime(startOfUnit(date, 'day'), -daysSinceMonday, 'day');
  }
  const time = date.getTime();
  const length = milliseconds[unit];
  return makeDate(Math.floor(time / length) * length);
}

function utcMidnight(year: number, month: number, day: number): number {
  // `Date.UTC` interprets the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  return date.setUTCFullYear(year, month, day);
}
