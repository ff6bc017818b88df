import { isRowError, isTooSlow } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';

/** The rows at which a task failed recently. They are skipped for a while, so that they do not delay others. */
export interface BadRows {
  /** Returns the ids of the rows to skip now. */
  ids(): string[];
  /** Logs a bad row and skips it for a while. */
  add(id: string, error: unknown): void;
}

/** How long a row is skipped whose values caused the error, in ms. */
const SKIPPED_MS = 300_000;
/** How long a row is skipped after any other error, in ms: the row may be fine, but others come first. */
const SKIPPED_BRIEFLY_MS = 2_000;
/**
 * The same for a row that takes longer than a statement may, or that is locked for long, again within the time below.
 * The first time says little: the instance may have been busy.
 */
const SKIPPED_IF_SLOW_MS = 60_000;
const SLOW_AGAIN_MS = 300_000;
/** Maximum number of bad rows remembered. Beyond it the oldest is forgotten and tried again. */
const MAX_REMEMBERED = 1_000;

/** Creates an empty set for one task. @param options.onAdded called for each bad row. */
export function createBadRows(options: {
  readonly task: string;
  readonly logger: Logger;
  readonly onAdded: () => void;
  /** A steady clock, in ms. */
  readonly now?: () => number;
}): BadRows {
  const { task, logger, onAdded, now = () => performance.now() } = options;
  const skippedUntil = new Map<string, number>();
  const slowUntil = new Map<string, number>();

  function durationFor(id: string, error: unknown): number {
    if (!isTooSlow(error)) return isRowError(error) ? SKIPPED_MS : SKIPPED_BRIEFLY_MS;
    const isSlowAgain = (slowUntil.get(id) ?? -Infinity) > now();
    remember(slowUntil, id, now() + SLOW_AGAIN_MS);
    return isSlowAgain ? SKIPPED_IF_SLOW_MS : SKIPPED_BRIEFLY_MS;
  }

  return {
    ids() {
      for (const [id, until] of skippedUntil) if (until <= now()) skippedUntil.delete(id);
      return [...skippedUntil.keys()];
    },
    add(id, error) {
      const skippedMs = durationFor(id, error);
      logger.error({ err: error, task, id, skippedMs }, 'skipped a row that maintenance failed on');
      remember(skippedUntil, id, now() + skippedMs);
      onAdded();
    },
  };
}

function remember(times: Map<string, number>, id: string, until: number): void {
  times.delete(id);
  times.set(id, until);
  const [oldest] = times.keys();
  if (times.size > MAX_REMEMBERED && oldest !== undefined) times.delete(oldest);
}
