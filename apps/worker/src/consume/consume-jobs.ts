import { setTimeout as sleep } from 'node:timers/promises';
import type { RunConsumer, RunJob, TakenJob } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import type { Standby } from './standby.ts';
import { createPollHealth } from './worker-health.ts';

/** Shortest and longest delay after a failed poll, in ms; the delay doubles with each failure in a row. */
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 1_000;
/** How long a job that is next stays so, in ms, until a worker that stands by concludes that nobody takes jobs. */
const UNATTENDED_AFTER_MS = 100;
/** Delay before a job that this worker cannot process is given back, in ms: without it, the job would come at once. */
const GIVE_BACK_DELAY_MS = 1_000;

/** What consuming jobs needs. */
export interface ConsumeOptions {
  readonly consumer: RunConsumer;
  readonly logger: Logger;
  /** Returns the number of further runs for which the worker has room. */
  readonly room: () => number;
  /** Resolves when the worker has room for a run. */
  readonly untilRoom: () => Promise<void>;
  /**
   * Starts a run and reserves its place at once. Resolves when the run is claimed or cannot be claimed. Rejects when
   * neither is known; the session logs the error.
   */
  readonly start: (run: RunJob) => Promise<void>;
  /** Decides when the worker leaves jobs to others; without it, it always takes them. */
  readonly standby?: Standby;
}

/**
 * The state of the loop. `polling`: waits for a job; `standby`: waits to be woken; `full`: waits for room; `paused`:
 * waits for `resume`; `retrying`: waits before the next poll after an error; `stopped`: final.
 */
export type ConsumptionState = 'polling' | 'standby' | 'full' | 'paused' | 'retrying' | 'stopped';

/** A running loop that takes jobs and starts their runs. */
export interface Consumption {
  readonly state: () => ConsumptionState;
  /** Returns true while the queue responds, whether with jobs or not. */
  readonly isHealthy: () => boolean;
  /** Makes one health check. Must be called four times a second. */
  readonly checkHealth: () => void;
  /** Takes no jobs until `resume`. Runs that were started continue. May be repeated. */
  readonly pause: () => void;
  /** Takes jobs again. May be repeated. */
  readonly resume: () => void;
  /** Takes no more jobs, waits until each taken job is settled, and closes the consumer. */
  close(): Promise<void>;
}

/**
 * Takes jobs one after another while there is room, and starts their runs. A job is completed when its runs are
 * claimed: from then on the database says who holds them. The claim decides whether a run may start, so a job may be
 * delivered twice or late.
 */
export function consumeJobs({ consumer, untilRoom, standby, ...parts }: ConsumeOptions): Consumption {
  const { logger, room } = parts;
  const jobs = createJobHandling(() => pausing !== undefined, parts);
  const health = createPollHealth({ isFull: () => room() <= 0, ping: () => consumer.ping() });
  let state: ConsumptionState = 'polling';
  let retryMs = MIN_RETRY_MS;
  let isClosing = false;
  let pausing: PromiseWithResolvers<void> | undefined;

  async function loop(): Promise<void> {
    while (!isClosing) {
      if (pausing) {
        state = 'paused';
        await pausing.promise;
      } else if (room() <= 0) {
        state = 'full';
        await waitForRoom();
      } else if (standby?.isStandingBy()) {
        await attempt(() => standBy(standby, consumer), 'standby');
      } else {
        await attempt(poll, 'polling');
      }
    }
    state = 'stopped';
  }

  async function waitForRoom(): Promise<void> {
    const ended = standby?.noRoom();
    await untilRoom();
    ended?.();
  }

  async function poll(): Promise<void> {
    const job = await consumer.take();
    if (job) jobs.begin(job);
    standby?.wakeIfBusy();
  }

  async function attempt(act: () => Promise<void>, next: ConsumptionState): Promise<void> {
    if (state !== 'retrying') state = next;
    try {
      await act();
      health.polled();
      if (state === 'retrying') logger.info('queue became available again');
      state = next;
      retryMs = MIN_RETRY_MS;
    } catch (err) {
      if (isClosing) return;
      if (state !== 'retrying') logger.warn({ err }, 'failed to poll the queue, retrying');
      state = 'retrying';
      await sleep(retryMs);
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    }
  }

  function resume(): void {
    pausing?.resolve();
    pausing = undefined;
  }

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    isClosing = true;
    resume();
    standby?.close();
    await consumer.stop();
    await jobs.settled();
    await consumer.close();
  }

  void loop();
  return {
    state: () => state,
    isHealthy: health.isHealthy,
    checkHealth() {
      // It polls too rarely to tell. Its heartbeats show that Redis responds.
      if (standby?.isAsleep()) health.polled();
      else health.check();
    },
    pause() {
      pausing ??= Promise.withResolvers();
    },
    resume,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Waits to be woken, or to become the first worker. Takes jobs for a while if it finds that nobody does. */
async function standBy(standby: Standby, consumer: RunConsumer): Promise<void> {
  if ((await standby.wait()) && (await isUnattended(consumer))) standby.queueIsUnattended();
}

/** Returns whether the same job is next for some time: nobody takes jobs. */
async function isUnattended(consumer: RunConsumer): Promise<boolean> {
  const next = await consumer.nextJobName();
  if (next === undefined) return false;
  await sleep(UNATTENDED_AFTER_MS);
  return (await consumer.nextJobName()) === next;
}

type HandlingParts = Pick<ConsumeOptions, 'logger' | 'room' | 'start'>;

/** Creates what handles taken jobs, each by itself. */
function createJobHandling(isPaused: () => boolean, parts: HandlingParts) {
  const handling = new Set<Promise<void>>();
  return {
    begin(job: TakenJob): void {
      const handled = handleJob(job, isPaused, parts).catch((err: unknown) => {
        // The queue delivers the job again once its lock expires.
        parts.logger.warn({ err, job: job.name }, 'failed to settle a job');
      });
      handling.add(handled);
      void handled.then(() => handling.delete(handled));
    },
    /** Resolves when each job is settled, also those that begin meanwhile. */
    async settled(): Promise<void> {
      while (handling.size > 0) await Promise.all(handling);
    },
  };
}

/**
 * Starts as many runs of a job as there is room for, and puts the others back. The job is completed only when its runs
 * are claimed: until then it is the only thing that keeps them from being lost.
 * @throws the error of Redis when the job could not be settled; the queue delivers it again.
 */
async function handleJob(
  job: TakenJob,
  isPaused: () => boolean,
  { logger, room, start }: HandlingParts,
): Promise<void> {
  if (!job.runs) {
    logger.warn({ job: job.name, version: job.version }, 'gave back a job of a newer version');
    await sleep(GIVE_BACK_DELAY_MS);
    await job.giveBack();
    return;
  }
  const count = Math.min(job.runs.length, room());
  if (isPaused() || count === 0) {
    await job.giveBack();
    return;
  }
  const claims = Promise.allSettled(job.runs.slice(0, count).map((run) => start(run)));
  if (count < job.runs.length) await job.keepFirst(count);
  const failed = (await claims).filter(({ status }) => status === 'rejected').length;
  if (failed > 0) {
    logger.warn({ job: job.name, runs: failed }, 'gave back a job because claiming its runs failed');
    await sleep(GIVE_BACK_DELAY_MS);
    // With all of its runs: a second claim of a claimed run is refused.
    await job.giveBack();
    return;
  }
  await job.complete();
}
