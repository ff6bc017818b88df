import { isDrainRequested, type Redis } from '@deckhand/queue';
import { runPeriodically } from './run-periodically.js';
import type { Logger } from '@deckhand/runtime';

/** Between two polls for a request, in ms. */
const POLL_INTERVAL_MS = 1_000;
const TIME_LIMIT_MS = 5_000;

/**
 * Watches for an operator's request to drain, and calls `drain` once it is there.
 * @returns stops watching.
 */
export function drainOnRequest(options: {
  readonly workerId: string;
  readonly redis: Redis;
  readonly logger: Logger;
  readonly drain: () => void;
}): () => void {
  const { workerId, redis, logger, drain } = options;
  let isAsked = false;
  return runPeriodically(
    {
      name: 'drain_requests',
      intervalMs: POLL_INTERVAL_MS,
      timeLimitMs: TIME_LIMIT_MS,
      isWanted: () => !isAsked,
      async run() {
        if (!(await isDrainRequested(redis, workerId))) return;
        isAsked = true;
        logger.info({ workerId }, 'an operator asks to drain');
        drain();
      },
    },
    { logger },
  );
}
