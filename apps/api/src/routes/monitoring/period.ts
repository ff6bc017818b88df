import { type RunStatsQuery, toDate, validationFailed } from '@deckhand/contracts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A workspace and a period. */
interface Period {
  readonly workspaceId: string;
  readonly from: Date;
  readonly to: Date;
}

/**
 * Returns the requested period, by default the last day. @throws DeckhandError VALIDATION_FAILED for one that is empty
 * or too long.
 */
export function readPeriod({ workspaceId, from, to }: RunStatsQuery, daysMax: number): Period {
  const end = to === undefined ? new Date() : toDate(to);
  const start = from === undefined ? new Date(end.getTime() - DAY_MS) : toDate(from);
  const lengthMs = end.getTime() - start.getTime();
  if (lengthMs <= 0) throw validationFailed([{ path: 'from', message: 'must be before to' }]);
  if (lengthMs > daysMax * DAY_MS) {
    throw validationFailed([{ path: 'from', message: `must be at most ${daysMax} days before to` }]);
  }
  return { workspaceId: workspaceId.toLowerCase(), from: start, to: end };
}
