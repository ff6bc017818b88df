import type { OutputStore } from '@deckhand/outputs';
import type { PeriodicTask } from '../run-periodically.js';
import { TASK_TIME_LIMIT_MS } from './maintenance-context.js';

/** Objects deleted by one pass at most, which is what one request may name. */
const BATCH = 1_000;

/** Deletes large outputs of runs that are gone from the object store. */
export function createOutputSweep(outputs: Pick<OutputStore, 'sweep'>): PeriodicTask {
  return {
    name: 'sweep_outputs',
    intervalMs: 1_000,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run() {
      await outputs.sweep(BATCH);
    },
  };
}
