import type { Logger } from '@deckhand/runtime';
import { runPeriodically } from '../run-periodically.ts';
import type { ActiveRuns } from './active-runs.ts';

const INTERVAL_MS = 250;

/** Halts the runs of this worker whose deadline has come. @returns a function that ends this. */
export function haltLateRuns(active: ActiveRuns, { now, logger }: { now: () => number; logger: Logger }): () => void {
  return runPeriodically(
    {
      name: 'deadlines',
      intervalMs: INTERVAL_MS,
      timeLimitMs: INTERVAL_MS,
      run() {
        const time = now();
        for (const run of active.all()) if (run.deadlineAt() <= time) run.halt('timeout');
        return Promise.resolve();
      },
    },
    { logger },
  );
}
