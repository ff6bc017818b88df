const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays after failed attempts, in ms: the example schedule of the Standard Webhooks specification, up to 31 hours. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
] as const;
/** The part of a delay that is random, so that the retries of an outage do not come together. */
const JITTER = 0.2;
/** Longest delay that a receiver may request, in ms. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** Maximum number of attempts of an event. */
export const MAX_ATTEMPTS = DELAYS_MS.length + 1;

/**
 * Returns the delay after a failed attempt, in ms; null if it was the last one.
 * @param attempt its number, from 1.
 * @param retryAfterMs what the receiver asked for; the delay is not shorter.
 * @param random a number from 0 to 1.
 */
export function nextAttemptInMs(attempt: number, retryAfterMs: number, random: number): number | null {
  const delayMs = DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return null;
  return Math.max(Math.round(delayMs * (1 + JITTER * random)), retryAfterMs);
}

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 * @param now ms since the epoch.
 * @returns ms, at most a day; 0 without a valid header.
 */
export function readRetryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
