import { isDrainRequested, type Redis } from '@deckhand/queue';
import { runPeriodically } from './run-periodically.js';
import type { Logger } from '@deckhand/runtime';

/** Interval of the polls for a request, in ms. */
const POLL_INTERVAL_MS = 1_000;
const TIME_LIMIT_MS = 5_000;

/**
 * Polls for an operator's request to drain, and calls `drain` when it arrives.
 * @returns a function that stops polling.
 */
export function drainOnRequest(options: {
  readonly workerId: string;
  readonly redis: Redis;
  readonly logger: Logger;
  readonly drain: () => void;
}): () => void {
  const { workerId, redis, logger, drain } = options;
  let isRequested = false;
  return runPeriodically(
    {
      name: 'drain_requests',
      intervalMs: POLL_INTERVAL_MS,
      timeLimitMs: TIME_LIMIT_MS,
      isWanted: () => !isRequested,
      async run() {
        if (!(await isDrainRequested(redis, workerId))) return;
        isRequested = true;
        logger.info({ workerId }, 'drain requested by an operator');
        drain();
      },
    },
    { logger },
  );
}
