import { toNumber } from '../operators.ts';
import { makeDate, toDate } from '../date.ts';
import { fail } from '../error.ts';
import type { Run } from '../run.ts';
import type { Value } from '../value.ts';
import { textArgument } from './arguments.ts';
import { formatDate } from './date-format.ts';
import { plain, type PlainMethod } from './definition.ts';

function unitArgument(run: Run, args: readonly Value[], index: number, fallback: TimeUnit): TimeUnit {
  return args[index] === undefined ? fallback : readUnit(textArgument(run, args, index));
}

function move(run: Run, date: Date, args: readonly Value[], sign: 1 | -1): Date {
  return addTime(date, sign * toNumber(run, args[0]), unitArgument(run, args, 1, 'millisecond'));
}

/** Methods of dates, all in UTC. Dates are immutable: methods that move a date return another. */
export const dateMethods: readonly PlainMethod<Date>[] = [
  plain('toISOString(): string', 'As ISO 8601 text in UTC with milliseconds.', (_run, date) => date.toISOString()),
  plain('toString(): string', 'The same as toISOString().', (_run, date) => date.toISOString()),
  plain('getTime(): number', 'Milliseconds since 1970.', (_run, date) => date.getTime()),
  plain('year(): number', 'The year.', (_run, date) => date.getUTCFullYear()),
  plain('month(): number', 'The month, 1 to 12.', (_run, date) => date.getUTCMonth() + 1),
  plain('day(): number', 'The day of the month, 1 to 31.', (_run, date) => date.getUTCDate()),
  plain('weekday(): number', 'The day of the week, 1 (Monday) to 7 (Sunday).', (_run, date) => date.getUTCDay() || 7),
  plain('hour(): number', 'The hour, 0 to 23.', (_run, date) => date.getUTCHours()),
  plain('minute(): number', 'The minute.', (_run, date) => date.getUTCMinutes()),
  plain('second(): number', 'The second.', (_run, date) => date.getUTCSeconds()),
  plain(
    'plus(amount: number, unit: string): date',
    'Adds a number of years, months, weeks, days, hours, minutes, seconds or milliseconds.',
    (run, date, args) => move(run, date, args, 1),
  ),
  plain('minus(amount: number, unit: string): date', 'Subtracts a number of units.', (run, date, args) =>
    move(run, date, args, -1),
  ),
  plain(
    'diff(other: date, unit?: string): number',
    'How many units (milliseconds) this date is after the other.',
    (run, date, args) => timeBetween(date, toDate(args[0]), unitArgument(run, args, 1, 'millisecond')),
  ),
  plain(
    'startOf(unit: string): date',
    'The start of its year, month, week, day, hour, minute or second.',
    (run, date, args) => startOfUnit(date, unitArgument(run, args, 0, 'day')),
  ),
  plain(
    'format(format: string, zone?: string): string',
    'As text such as "yyyy-MM-dd HH:mm", in UTC or a zone such as "Europe/Berlin"; text within is in single quotes.',
    (run, date, args) =>
      formatDate(run, date, textArgument(run, args, 0), args[1] === undefined ? undefined : textArgument(run, args, 1)),
  ),
];

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
function readUnit(text: string): TimeUnit {
  const unit = text.endsWith('s') ? text.slice(0, -1) : text;
  if (isFixedUnit(unit) || unit === 'month' || unit === 'year') return unit;
  return fail('the unit must be years, months, weeks, days, hours, minutes, seconds or milliseconds');
}

/** Returns `date` moved by `amount` units, which may be negative. In a shorter month, the result is its last day. */
function addTime(date: Date, amount: number, unit: TimeUnit): Date {
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
function timeBetween(date: Date, other: Date, unit: TimeUnit): number {
  if (unit === 'month' || unit === 'year')
    return fail('diff counts weeks, days, hours, minutes, seconds or milliseconds');
  return (date.getTime() - other.getTime()) / milliseconds[unit];
}

/** Returns the start of the year, month, week (Monday), day, hour, minute or second of `date`, in UTC. */
function startOfUnit(date: Date, unit: TimeUnit): Date {
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
