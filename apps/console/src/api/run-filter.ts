import { EXECUTION_MODES, EXECUTION_SOURCES, EXECUTION_STATUSES } from '@deckhand/contracts';
import { choice, count, optional, several, text } from '../app/search.ts';

/** Periods of which lists show runs; days are those of this browser. */
export const RUN_PERIOD_NAMES = ['15m', '1h', '24h', 'today', 'yesterday', '7d'] as const;
export type RunPeriod = (typeof RUN_PERIOD_NAMES)[number];

/** Filters of a list of runs, as in its URL; an export takes the same. */
export interface RunFilter {
  /** Separated by commas. */
  readonly status?: string | undefined;
  /** What started the runs, separated by commas. */
  readonly source?: string | undefined;
  /** Separated by commas. */
  readonly executionMode?: string | undefined;
  readonly workflowId?: string | undefined;
  /** The period of the start; instead of `from` and `to`. */
  readonly within?: RunPeriod | undefined;
  /** ISO 8601, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly minDurationMs?: number | undefined;
  readonly maxDurationMs?: number | undefined;
  /** All of these, separated by commas. */
  readonly tag?: string | undefined;
  readonly search?: string | undefined;
  readonly errorContains?: string | undefined;
  readonly failureGroup?: string | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Returns the bounds of the start of runs; none without such a filter. A period begins with a minute, so that a list
 * that is polled has the same URL, and its ETag, for a while.
 */
export function rangeOf(
  { within, from, to }: Pick<RunFilter, 'within' | 'from' | 'to'>,
  now = new Date(),
): { readonly gte?: string; readonly lte?: string } {
  switch (within) {
    case undefined:
      return { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lte: to }) };
    case '15m':
      return before(now, 15 * MINUTE_MS);
    case '1h':
      return before(now, HOUR_MS);
    case '24h':
      return before(now, 24 * HOUR_MS);
    case '7d':
      return before(now, 7 * 24 * HOUR_MS);
    case 'today':
      return { gte: dayFrom(now, 0).toISOString() };
    case 'yesterday':
      return { gte: dayFrom(now, -1).toISOString(), lte: new Date(dayFrom(now, 0).getTime() - 1).toISOString() };
  }
}

function before(now: Date, ms: number): { readonly gte: string } {
  const start = now.getTime() - ms;
  return { gte: new Date(start - (start % MINUTE_MS)).toISOString() };
}

/** Returns when a day begins, which is not always 24 hours after the one before. */
function dayFrom(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
}

/** Returns the filter that is in a URL, or was stored: members that are not valid are left out. */
export function parseRunFilter(given: Readonly<Record<string, unknown>>): RunFilter {
  return optional({
    status: several(EXECUTION_STATUSES, given.status),
    source: several(EXECUTION_SOURCES, given.source),
    executionMode: several(EXECUTION_MODES, given.executionMode),
    workflowId: text(given.workflowId),
    within: choice(RUN_PERIOD_NAMES, given.within),
    from: text(given.from),
    to: text(given.to),
    minDurationMs: count(given.minDurationMs),
    maxDurationMs: count(given.maxDurationMs),
    tag: text(given.tag),
    search: text(given.search),
    errorContains: text(given.errorContains),
    failureGroup: text(given.failureGroup),
  });
}
