import { isDrainRequested, type Redis } from '@deckhand/queue';
import { every } from './every.js';
import type { Logger } from '@deckhand/runtime';

/** Between two looks for a request, in ms. */
const LOOK_EVERY_MS = 1_000;

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
  return every(LOOK_EVERY_MS, logger, 'drain requests', async () => {
    if (isAsked || !(await isDrainRequested(redis, workerId))) return;
    isAsked = true;
    logger.info({ workerId }, 'an operator asks to drain');
    drain();
  });
}
