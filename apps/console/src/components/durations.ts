import { dateLocale, formatNumber, i18n } from '../language/i18n.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns how long ago something was, in one unit; after a week, its date. */
export function describeAge(ageMs: number, date: Date): string {
  if (ageMs < 5 * SECOND_MS) return i18n.t('just now');
  return ageMs < 7 * DAY_MS
    ? i18n.t('{elapsed} ago', { elapsed: describeElapsed(ageMs) })
    : date.toLocaleDateString(dateLocale(), { dateStyle: 'medium' });
}

/** Returns a time that has passed, in one unit. */
export function describeElapsed(elapsedMs: number): string {
  if (elapsedMs < MINUTE_MS) return `${Math.max(0, Math.floor(elapsedMs / SECOND_MS))} s`;
  if (elapsedMs < HOUR_MS) return `${Math.floor(elapsedMs / MINUTE_MS)} min`;
  if (elapsedMs < DAY_MS) return `${Math.floor(elapsedMs / HOUR_MS)} h`;
  return i18n.t('{count} d', { count: Math.floor(elapsedMs / DAY_MS) });
}

/** Returns a duration in its two largest units. */
export function describeDuration(durationMs: number): string {
  if (durationMs < SECOND_MS) return `${Math.round(durationMs)} ms`;
  if (durationMs < MINUTE_MS) return `${decimal(durationMs / SECOND_MS, durationMs < 10 * SECOND_MS ? 2 : 1)} s`;
  if (durationMs < HOUR_MS) {
    return `${Math.floor(durationMs / MINUTE_MS)} min ${Math.floor((durationMs % MINUTE_MS) / SECOND_MS)} s`;
  }
  return `${Math.floor(durationMs / HOUR_MS)} h ${Math.floor((durationMs % HOUR_MS) / MINUTE_MS)} min`;
}

/** Returns how long something took, or has taken until `now`; undefined if it has not started. */
export function durationMs(from: string | null, to: string | null, now: number): number | undefined {
  if (from === null) return undefined;
  return Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from));
}

function decimal(value: number, places: number): string {
  return formatNumber(value, { atMost: places, atLeast: places });
}

/** A size for people. */
export function describeBytes(bytes: number): string {
  if (bytes < 1_024) return i18n.t('{bytes} bytes', { bytes });
  if (bytes < 1_048_576) return `${decimal(bytes / 1_024, 1)} KiB`;
  if (bytes < 1_073_741_824) return `${decimal(bytes / 1_048_576, 1)} MiB`;
  return `${decimal(bytes / 1_073_741_824, 1)} GiB`;
}
