import { setImmediate as nextRound } from 'node:timers/promises';
import type { StartLimits } from '@deckhand/db';
import { type InputChecker, withWorkflowKey } from '@deckhand/nodes';
import { createExecutionRate, type Redis } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';

/** For how long keys are evaluated before the event loop continues, in ms. */
const SLICE_MS = 10;
/** After how long a run is counted again that could not be counted, in seconds. */
const COUNT_AGAIN_SECONDS = 1;

/** Creates the limits of the runs that a worker starts. */
export function createStartLimits({
  redis,
  logger,
  checkInput,
}: {
  redis: Redis;
  logger: Logger;
  checkInput: InputChecker;
}): StartLimits {
  const rate = createExecutionRate(redis);
  return {
    checkInput,
    addKey: createWorkflowKeys(),
    count: (workspaceId, max) =>
      // An error of Redis is not the fault of whatever starts the run.
      rate(workspaceId, max).catch((err: unknown) => {
        logger.warn({ err, workspaceId }, 'failed to count a run, retrying');
        return { isBeyond: true, max, windowSeconds: 60, remaining: 0, resetSeconds: COUNT_AGAIN_SECONDS };
      }),
  };
}

/**
 * Creates the function that finds the keys by which workflows limit their runs. Authors write their expressions, and a
 * batch may need hundreds: the event loop continues in between, and no other work is waited for.
 */
export function createWorkflowKeys(): StartLimits['addKey'] {
  let sliceEndsAt = 0;
  return async (request, concurrency) => {
    if (performance.now() >= sliceEndsAt) {
      await nextRound();
      sliceEndsAt = performance.now() + SLICE_MS;
    }
    return withWorkflowKey(request, concurrency);
  };
}
