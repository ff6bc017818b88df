import { setImmediate as nextRound } from 'node:timers/promises';
import type { AddWorkflowKey } from '@deckhand/db';
import { withWorkflowKey } from '@deckhand/nodes';

/** For how long keys are evaluated before the event loop continues, in ms. */
const SLICE_MS = 10;

/**
 * Creates the function that finds the keys by which workflows limit their runs. Authors write their expressions, and a
 * transaction may ask for hundreds: the event loop continues in between, and no other work is waited for.
 */
export function createWorkflowKeys(): AddWorkflowKey {
  let sliceEndsAt = 0;
  return async (request, concurrency) => {
    if (performance.now() >= sliceEndsAt) {
      await nextRound();
      sliceEndsAt = performance.now() + SLICE_MS;
    }
    return withWorkflowKey(request, concurrency);
  };
}
