import { isRowError } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';

/** The rows at which a task failed lately: they are left out for a while, so that they hold up no others. */
export interface BadRows {
  /** Those to leave out now. */
  ids(): string[];
  /** Reports one and leaves it out for a while. */
  add(id: string, error: unknown): void;
}

/** How long a row is left out whose values are known to be at fault, in ms. */
const LEFT_OUT_MS = 300_000;
/**
 * The same after any other error, which may have come from elsewhere: long enough for others to be worked on meanwhile.
 */
const LEFT_OUT_BRIEFLY_MS = 2_000;
/** Bad rows remembered at most: the oldest are tried again first. */
const MAX_REMEMBERED = 1_000;

/** Creates an empty set for one task. @param options.onAdded notified of each bad row. */
export function createBadRows(options: {
  readonly task: string;
  readonly logger: Logger;
  readonly onAdded: () => void;
  /** A steady clock, in ms. */
  readonly now?: () => number;
}): BadRows {
  const { task, logger, onAdded, now = () => performance.now() } = options;
  const leftOutUntil = new Map<string, number>();
  return {
    ids() {
      for (const [id, until] of leftOutUntil) if (until <= now()) leftOutUntil.delete(id);
      return [...leftOutUntil.keys()];
    },
    add(id, error) {
      const leftOutMs = isRowError(error) ? LEFT_OUT_MS : LEFT_OUT_BRIEFLY_MS;
      logger.error({ err: error, task, id, leftOutMs }, 'maintenance skipped a row at which it failed');
      leftOutUntil.delete(id);
      leftOutUntil.set(id, now() + leftOutMs);
      const [oldest] = leftOutUntil.keys();
      if (leftOutUntil.size > MAX_REMEMBERED && oldest !== undefined) leftOutUntil.delete(oldest);
      onAdded();
    },
  };
}
