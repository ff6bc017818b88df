/** Matches a UUID in the form of PostgreSQL: not a URN, no braces. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Matches the id of a node. */
export const NODE_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Matches the id of a node of a run: that of a definition, or one that the engine adds to an agent, `<id>.steps`. */
export const RUN_NODE_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}(\.[a-z]{1,15})?$/;

const DATE_PATTERN = /^\d{4}-\d\d-\d\d$/;
const TIME_PATTERN = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

const DAY_MS = 86_400_000;
const EARLIEST_MS = Date.UTC(0, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Returns true for a UUID. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** Returns true for a text that can be the id of a node. */
export function isNodeId(text: string): boolean {
  return NODE_ID_PATTERN.test(text);
}

/** Matches a date, or a date and a time with optional seconds and offset, in the extended format of ISO 8601. */
const LOOSE_TIME_PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d(?:[.,]\d+)?))?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** Matches the same in the basic format, without separators. */
const BASIC_TIME_PATTERN = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * Reads an ISO 8601 time of a request, in the extended or the basic format. A date alone means midnight, seconds are
 * optional, and a time without an offset is UTC. Offsets are `+01:00`, `+0100` or `+01`.
 * @returns undefined for an invalid time.
 */
export function readTime(text: string): Date | undefined {
  const match = LOOSE_TIME_PATTERN.exec(text) ?? BASIC_TIME_PATTERN.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hours = '00', minutes = '00', seconds = '00', offset = 'Z'] = match;
  const time = `${hours}:${minutes}:${seconds.replace(',', '.')}`;
  const full = `${year}-${month}-${day}T${time}${offset.length === 1 ? offset : fullOffset(offset)}`;
  return isTime(full) ? new Date(full) : undefined;
}

/** Returns an offset with a colon: `+0100` and `+01` are `+01:00`. */
function fullOffset(offset: string): string {
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
}

/**
 * Converts a time of a validated request to a Date.
 * @throws RangeError for an invalid time.
 */
export function toDate(text: string): Date {
  const date = readTime(text);
  if (date === undefined) throw new RangeError('not a time');
  return date;
}

/**
 * Converts the time at which something expires, of a validated request, to a Date. A date alone means the end of that
 * day in UTC: what expires on a day is valid on that day.
 * @throws RangeError for an invalid time.
 */
export function toExpiry(text: string): Date {
  const date = toDate(text);
  return text.includes('T') || text.includes('t') ? date : new Date(date.getTime() + DAY_MS - 1);
}

/** Returns true for an ISO 8601 date that exists, such as 2026-01-31. */
export function isDate(text: string): boolean {
  const ms = DATE_PATTERN.test(text) ? Date.parse(text) : NaN;
  // JavaScript takes the 30th of February for a day in March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/**
 * Returns true for an ISO 8601 time with an offset that exists and lies between 1900 and 9999, so that JavaScript and
 * PostgreSQL can both represent it. Leap seconds and the 30th of February do not exist.
 */
export function isTime(text: string): boolean {
  const match = TIME_PATTERN.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const ms = Date.parse(text);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && ms >= EARLIEST_MS && ms <= LATEST_MS;
}
