/** A UUID as PostgreSQL takes it: no URN, no braces. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const TIME_PATTERN = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

const EARLIEST_MS = Date.UTC(0, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** True for a UUID. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** A date, or a date and a time whose seconds and offset may be left out. */
const LOOSE_TIME_PATTERN = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d(?:\.\d+)?))?(Z|[+-]\d\d(?::\d\d)?)?)?$/i;

/**
 * Reads a time of a request: ISO 8601, where a date alone is its midnight, seconds may be missing, and a time without
 * an offset is UTC.
 * @returns undefined for what `isTime` would refuse with those parts filled in.
 */
export function readTime(text: string): Date | undefined {
  const [, date, time = '00:00', seconds = '00', offset = 'Z'] = LOOSE_TIME_PATTERN.exec(text) ?? [];
  if (date === undefined) return undefined;
  const full = `${date}T${time}:${seconds}${/^[+-]\d\d$/.test(offset) ? `${offset}:00` : offset}`;
  return isTime(full) ? new Date(full) : undefined;
}

/**
 * A time of a request that validation let through, as a Date.
 * @throws RangeError for what is no time.
 */
export function toDate(text: string): Date {
  const date = readTime(text);
  if (date === undefined) throw new RangeError('not a time');
  return date;
}

/**
 * True for an ISO 8601 time with its offset that is a real moment, from 1900 to 9999: what JavaScript and PostgreSQL
 * both can hold. Leap seconds and the 30th of February are none.
 */
export function isTime(text: string): boolean {
  const match = TIME_PATTERN.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const ms = Date.parse(text);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && ms >= EARLIEST_MS && ms <= LATEST_MS;
}
