/** Number of checks without a response of the queue after which it counts as silent: 2 s at the worker's pace. */
const SILENT_CHECKS = 8;

/** Knows whether a worker gets jobs out of the queue, or would: being connected is not enough. */
export interface PollHealth {
  /** The queue responded: with a job, or that there is none. */
  readonly polled: () => void;
  /** Counts one check; to be called at a steady pace. */
  readonly check: () => void;
  readonly isHealthy: () => boolean;
}

/**
 * Creates it. Silence is counted in checks and not in time, so that a process that was frozen or late does not take its
 * own absence for the queue's. A worker without room for a run does not poll: then it pings the queue instead.
 * @param options.isFull whether the worker has no room for a run.
 * @param options.ping resolves when the queue responds; may never settle.
 */
export function createPollHealth(options: { isFull: () => boolean; ping: () => Promise<unknown> }): PollHealth {
  let silentChecks = 0;
  let isPinging = false;

  function polled(): void {
    silentChecks = 0;
  }

  function ping(): void {
    isPinging = true;
    options
      .ping()
      // A failed ping is silence.
      .then(polled, () => undefined)
      .finally(() => {
        isPinging = false;
      });
  }

  return {
    polled,
    check: () => {
      silentChecks += 1;
      if (options.isFull() && !isPinging) ping();
    },
    isHealthy: () => silentChecks < SILENT_CHECKS,
  };
}
