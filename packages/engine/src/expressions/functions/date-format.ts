import { fail } from '../error.ts';
import { spendSteps, type Run } from '../run.ts';

const formatLengthMax = 200;
const zonesMax = 64;
/** Steps for one date in another zone: creating a formatter takes as long. */
const zoneSteps = 200;

const months = 'January February March April May June July August September October November December'.split(' ');
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const symbols = new Set('yyyy yy MMMM MMM MM M dd d EEEE EEE HH H hh h mm m ss s SSS a'.split(' '));
/** Quoted text, or a letter with its repetitions. */
const token = /'([^']*)'|([A-Za-z])\2*/g;

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  if (formatters.size >= zonesMax) formatters.clear();
  const formatter = makeFormatter(zone);
  formatters.set(zone, formatter);
  return formatter;
}

function makeFormatter(timeZone: string): Intl.DateTimeFormat {
  try {
    const numeric = 'numeric';
    const clock = { hour: numeric, minute: numeric, second: numeric, hourCycle: 'h23' } as const;
    return new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone,
      year: numeric,
      month: numeric,
      day: numeric,
      ...clock,
    });
  } catch {
    return fail('the time zone is not known; it is a name such as Europe/Berlin');
  }
}

/** Returns the time whose UTC fields are the local time in `zone` at `date`. */
function wallClock(run: Run, date: Date, zone: string): Date {
  spendSteps(run, zoneSteps);
  const parts = new Map(
    formatterFor(zone)
      .formatToParts(date)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const shown = new Date(0);
  shown.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  shown.setUTCHours(part('hour'), part('minute'), part('second'), date.getUTCMilliseconds());
  return shown;
}

/**
 * Formats a date: yyyy yy MMMM MMM MM M dd d EEEE EEE HH H hh h mm m ss s SSS a; text in 'quotes' is kept. Names are
 * English. In UTC, or in `zone` (an IANA name). @throws EvaluationFailure for an unknown zone, for other letters, and
 * for a format of over 200 characters.
 */
export function formatDate(run: Run, date: Date, format: string, zone: string | undefined): string {
  if (format.length > formatLengthMax) return fail(`a date format has at most ${formatLengthMax} characters`);
  const shown = zone === undefined || zone === 'UTC' ? date : wallClock(run, date, zone);
  spendSteps(run, format.length / 4);
  return format.replace(token, (symbol, quoted: string | undefined) => quoted ?? field(shown, symbol));
}

/** Returns the first letters of a format that `formatDate` refuses; undefined if there are none. */
export function findUnknownLetters(format: string): string | undefined {
  for (const [letters, , letter] of format.slice(0, formatLengthMax).matchAll(token))
    if (letter !== undefined && !symbols.has(letters)) return letters;
  return undefined;
}

function field(date: Date, symbol: string): string {
  if (!symbols.has(symbol)) fail(`${symbol} is not a part of a date format; text is in 'single quotes'`);
  const two = (value: number): string => String(value).padStart(symbol.length === 2 ? 2 : 1, '0');
  const month = months[date.getUTCMonth()] ?? '';
  const weekday = weekdays[date.getUTCDay()] ?? '';
  const hour = date.getUTCHours();
  switch (symbol) {
    case 'yyyy':
      return String(date.getUTCFullYear()).padStart(4, '0');
    case 'yy':
      return String(date.getUTCFullYear()).slice(-2);
    case 'MMMM':
      return month;
    case 'MMM':
      return month.slice(0, 3);
    case 'EEEE':
      return weekday;
    case 'EEE':
      return weekday.slice(0, 3);
    case 'SSS':
      return String(date.getUTCMilliseconds()).padStart(3, '0');
    case 'a':
      return hour < 12 ? 'AM' : 'PM';
    default:
      return two(numericField(date, symbol.charAt(0)));
  }
}

function numericField(date: Date, letter: string): number {
  if (letter === 'M') return date.getUTCMonth() + 1;
  if (letter === 'd') return date.getUTCDate();
  if (letter === 'H') return date.getUTCHours();
  if (letter === 'h') return date.getUTCHours() % 12 === 0 ? 12 : date.getUTCHours() % 12;
  return letter === 'm' ? date.getUTCMinutes() : date.getUTCSeconds();
}
