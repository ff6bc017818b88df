import { fail } from './error.ts';
import { kindOf, type Value } from './value.ts';

const isoDate =
  /^(\d{4}|[+-]\d{6})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/;

/**
 * Parses an ISO 8601 date ("2026-11-20", "2026-11-20T08:15:00+01:00"). Without a zone it is UTC, so that a workflow
 * gives the same result on every machine. Returns milliseconds since 1970, or NaN for other texts.
 */
export function parseIsoDate(text: string): number {
  const parts = text.length <= 40 ? isoDate.exec(text.trim()) : null;
  if (parts === null) return NaN;
  const [, year = '', month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    parts;
  const offset = zone === 'Z' || zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const parsed = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`);
  // `Date.parse` accepts the 31st of a short month; the day has to exist.
  const daysOfMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= daysOfMonth ? parsed : NaN;
}

/**
 * Returns the date of `milliseconds` since 1970. @throws EvaluationFailure if there is none, so that no invalid date
 * ever exists.
 */
export function makeDate(milliseconds: number): Date {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? fail('the date does not exist') : date;
}

/**
 * Returns the date of ISO text, of milliseconds since 1970, or of a date.
 * @throws EvaluationFailure for any other value.
 */
export function toDate(value: Value): Date {
  if (value instanceof Date) return value;
  if (typeof value === 'number') return makeDate(value);
  if (typeof value !== 'string') return fail(`a date is ISO 8601 text or milliseconds, not ${kindOf(value)}`);
  const milliseconds = parseIsoDate(value);
  return Number.isNaN(milliseconds)
    ? fail('the text is not an ISO 8601 date such as 2026-11-20T08:15:00Z')
    : makeDate(milliseconds);
}
