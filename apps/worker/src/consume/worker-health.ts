import { classifyStoreError } from '@deckhand/db';

/* What shows whether a worker can take jobs: the health of its claims and of its polls, and whether it has time. */

/** Polls in a row without a success after which claims are unhealthy: 2 s, as the worker polls every 250 ms. */
const FAILING_POLLS = 8;

/**
 * Observes whether runs can be claimed and their checkpoints written. A worker that cannot must leave jobs to others.
 */
export interface ClaimHealth {
  /** Watches one attempt to read what a run needs before its first checkpoint. */
  watchRead<T>(read: () => Promise<T>): Promise<T>;
  /**
   * Watches one attempt to claim runs or to write checkpoints. After a failure, only a write that succeeds shows that
   * writes work again.
   */
  watchWrite<T>(write: () => Promise<T>): Promise<T>;
  /** Counts one poll. Must be called at a constant interval. */
  poll(): void;
  /** Returns false once the store is unavailable for several polls, and at once after an error of the deployment. */
  isHealthy(): boolean;
}

/** Failures since the last success. `isRefused`: one was an error of the deployment. */
interface Failures {
  isFailing: boolean;
  isRefused: boolean;
}

/**
 * Creates the health of claims. It counts polls instead of reading a clock: a process that was frozen makes no polls
 * either, so its pause does not count as silence of the database. A watched operation that fails must be retried until
 * it succeeds or the store refuses the values of a row; otherwise nothing shows that the store is available again.
 */
export function createClaimHealth(): ClaimHealth {
  const reads: Failures = { isFailing: false, isRefused: false };
  const writes: Failures = { isFailing: false, isRefused: false };
  let inProgress = 0;
  let failingPolls = 0;
  const isFailing = (): boolean => reads.isFailing || writes.isFailing;

  /** `cleared`: the failures that a success disproves. */
  async function watch<T>(act: () => Promise<T>, cleared: readonly Failures[], failures: Failures): Promise<T> {
    const clearFailures = (): void => {
      for (const each of cleared) Object.assign(each, { isFailing: false, isRefused: false });
      if (!isFailing()) failingPolls = 0;
    };
    inProgress += 1;
    try {
      const result = await act();
      clearFailures();
      return result;
    } catch (error) {
      const kind = classifyStoreError(error);
      // A store that refuses only the values of a row is available.
      if (kind === 'row') clearFailures();
      else {
        failures.isFailing = true;
        if (kind === 'deployment') failures.isRefused = true;
      }
      throw error;
    } finally {
      inProgress -= 1;
    }
  }

  return {
    watchRead: (read) => watch(read, [reads], reads),
    watchWrite: (write) => watch(write, [reads, writes], writes),
    poll() {
      failingPolls = inProgress > 0 || isFailing() ? failingPolls + 1 : 0;
    },
    isHealthy: () => !reads.isRefused && !writes.isRefused && failingPolls < FAILING_POLLS,
  };
}

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

/**
 * A thread that computes for this part of a short time is busy. Time in which it is ready but does not get a core does
 * not count: on a machine whose cores are used up, another worker would not help.
 */
const BUSY_CPU = 0.85;
const SHORT_MS = 50;
/** An event loop that is in use for this part of a second is busy, whether it computes or waits for a core. */
const BUSY_LOOP = 0.97;
const LONG_MS = 1_000;

/** Creates a function that returns whether this thread has no time for more work. May be called often. */
export function createBusyCheck(now: () => number = () => performance.now()): () => boolean {
  const isComputing = createWindow(now, SHORT_MS, () => {
    let before = process.threadCpuUsage();
    return (elapsedMs) => {
      const { user, system } = process.threadCpuUsage(before);
      before = process.threadCpuUsage();
      return (user + system) / 1_000 / elapsedMs > BUSY_CPU;
    };
  });
  const isLoopUsed = createWindow(now, LONG_MS, () => {
    let before = performance.eventLoopUtilization();
    return () => {
      const present = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(present, before);
      before = present;
      return utilization > BUSY_LOOP;
    };
  });
  return () => {
    // Both are measured each time.
    const computes = isComputing();
    return isLoopUsed() || computes;
  };
}

/** Measures at most once in `windowMs`; in between, the last result counts. */
function createWindow(now: () => number, windowMs: number, start: () => (elapsedMs: number) => boolean): () => boolean {
  const measure = start();
  let measuredAt = now();
  let result = false;
  return () => {
    const elapsedMs = now() - measuredAt;
    if (elapsedMs < windowMs) return result;
    measuredAt += elapsedMs;
    result = measure(elapsedMs);
    return result;
  };
}
