import type { OutputStore } from '@deckhand/outputs';
import type { PeriodicTask } from '../run-periodically.ts';
import { TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Maximum number of objects deleted per pass, which is the limit of one request. */
const BATCH = 1_000;

/** Creates the task that deletes the large outputs of deleted runs from the object store. */
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
