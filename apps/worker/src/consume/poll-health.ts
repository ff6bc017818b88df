/** Checks in a row without a response of the queue after which it is unhealthy: 2 s, at four checks a second. */
const SILENT_CHECKS = 8;

/** Observes whether a worker can take jobs: a queue may be connected and yet not respond. */
export interface PollHealth {
  /** Notes a response of the queue: a job, or that there is none. */
  readonly polled: () => void;
  /** Counts one check. Must be called at a constant interval. */
  readonly check: () => void;
  readonly isHealthy: () => boolean;
}

/**
 * Creates the health of polling. Silence is counted in checks and not in time: a process that was frozen or late must
 * not mistake its own pause for silence of the queue. A worker without room for a run does not poll; it pings the queue
 * instead.
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
      // A failed ping counts as no response.
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
