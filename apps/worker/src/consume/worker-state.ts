import type { WorkerState } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import type { ClaimHealth } from './worker-health.ts';
import { runPeriodically } from '../run-periodically.ts';
import type { Consumption } from './consume-jobs.ts';

/** Interval of the health checks of consumption and claims, in ms. */
const CHECK_INTERVAL_MS = 250;
const CHECK_TIME_LIMIT_MS = 5_000;

/** The state of a worker that has started. */
export interface ReportedState {
  readonly current: () => WorkerState;
  /** Reports `draining`, which is final. */
  drains(): void;
  /** Ends the health checks. */
  stop(): void;
}

/**
 * Reports `consuming` while the worker takes jobs and can claim their runs, and `stalled` otherwise: it takes no jobs
 * while claims fail.
 */
export function reportState(parts: {
  readonly consumption: Consumption;
  readonly health: ClaimHealth;
  /** Sends the state to the fleet. */
  readonly send: (state: WorkerState) => void;
  readonly logger: Logger;
}): ReportedState {
  const { consumption, health, logger } = parts;
  let state: WorkerState = 'consuming';
  const setState = (next: WorkerState): void => {
    state = next;
    parts.send(next);
  };
  setState('consuming');
  const stop = runPeriodically(
    {
      name: 'state',
      intervalMs: CHECK_INTERVAL_MS,
      timeLimitMs: CHECK_TIME_LIMIT_MS,
      async run() {
        consumption.checkHealth();
        health.poll();
        if (state === 'draining') return;
        if (health.isHealthy()) consumption.resume();
        else consumption.pause();
        const next = consumption.isHealthy() && health.isHealthy() ? 'consuming' : 'stalled';
        if (state === next) return;
        setState(next);
        logger.warn({ state, claims: health.isHealthy() ? 'healthy' : 'failing' }, 'worker state changed');
      },
    },
    { logger },
  );
  return { current: () => state, drains: () => setState('draining'), stop };
}
