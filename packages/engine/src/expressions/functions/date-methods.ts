import { toNumber } from '../convert.ts';
import { toDate } from '../date.ts';
import { textArgument } from './arguments.ts';
import { addTime, readUnit, startOfUnit, timeBetween, type TimeUnit } from './date-arithmetic.ts';
import { formatDate } from './date-format.ts';
import { plain, type PlainMethod } from './definition.ts';
import type { Run } from '../run.ts';
import type { Value } from '../value.ts';

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
