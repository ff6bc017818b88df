import { setTimeout as sleep } from 'node:timers/promises';
import type { RunConsumer, TakenJob } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { handleJob, type HandleJobParts } from './handle-job.js';
import { createPollHealth } from './poll-health.js';

/** Delays after a failed poll, in ms; each is twice the one before. */
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 1_000;

/** What consuming needs. */
export interface ConsumeOptions extends Omit<HandleJobParts, 'isHeld'> {
  readonly consumer: RunConsumer;
  readonly logger: Logger;
  /** Resolves when there is room for a run. */
  readonly untilRoom: () => Promise<void>;
}

/**
 * What the loop does: `polling` waits for a job, `full` for room, `held` to be released, `retrying` to poll again after
 * an error. `stopped` is final.
 */
export type ConsumptionState = 'polling' | 'full' | 'held' | 'retrying' | 'stopped';

/** Jobs being taken, and their runs started. */
export interface Consumption {
  readonly state: () => ConsumptionState;
  /** Whether jobs come out of the queue, or would: its last response is recent. */
  readonly isHealthy: () => boolean;
  /** Checks that; to be called four times a second. */
  readonly checkHealth: () => void;
  /** Takes no jobs until released; runs that were started go on. May be repeated. */
  readonly hold: () => void;
  /** Takes jobs again. May be repeated. */
  readonly release: () => void;
  /** Takes no more jobs, and closes the consumer once each job that was taken is dealt with. */
  close(): Promise<void>;
}

/**
 * Takes jobs one after another while there is room, and starts their runs. A job ends when its runs are claimed: from
 * then on the database says who holds them. Whether a run may be run is the claim's decision, so a job may come twice
 * or late.
 */
export function consumeJobs({ consumer, untilRoom, ...parts }: ConsumeOptions): Consumption {
  const { logger, room } = parts;
  const health = createPollHealth({ isFull: () => room() <= 0, ping: () => consumer.ping() });
  const handling = new Set<Promise<void>>();
  let state: ConsumptionState = 'polling';
  let retryMs = MIN_RETRY_MS;
  let isClosing = false;
  let held: Hold | undefined;

  async function loop(): Promise<void> {
    while (!isClosing) {
      if (held) {
        state = 'held';
        await held.released;
      } else if (room() <= 0) {
        state = 'full';
        await untilRoom();
      } else {
        await poll();
      }
    }
    state = 'stopped';
  }

  async function poll(): Promise<void> {
    try {
      const job = await consumer.take();
      health.polled();
      if (state === 'retrying') logger.info('jobs are taken again');
      state = 'polling';
      retryMs = MIN_RETRY_MS;
      if (job) handle(job);
    } catch (err) {
      if (state !== 'retrying') logger.warn({ err }, 'no job can be taken; trying again');
      state = 'retrying';
      await sleep(retryMs);
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
    }
  }

  function handle(job: TakenJob): void {
    const handled = handleJob(job, { ...parts, isHeld: () => held !== undefined }).then(
      () => undefined,
      (err: unknown) => {
        // It is delivered again once its lock expires.
        logger.warn({ err, job: job.name }, 'a job could not be completed or given back');
      },
    );
    handling.add(handled);
    void handled.then(() => handling.delete(handled));
  }

  function release(): void {
    held?.release();
    held = undefined;
  }

  void loop();
  return {
    state: () => state,
    isHealthy: health.isHealthy,
    checkHealth: health.check,
    hold() {
      held ??= createHold();
    },
    release,
    async close() {
      isClosing = true;
      release();
      await consumer.stop();
      while (handling.size > 0) await Promise.all(handling);
      await consumer.close();
    },
  };
}

interface Hold {
  readonly released: Promise<void>;
  readonly release: () => void;
}

function createHold(): Hold {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return { released, release };
}
