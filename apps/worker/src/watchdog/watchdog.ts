import type { Logger } from '@deckhand/runtime';
import type { WorkerState } from '@deckhand/queue';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  createSharedState,
  SLOT,
  STATES,
  type WatchdogData,
  type WatchdogReport,
  type WatchdogRequest,
} from './shared-state.ts';

/** Interval of the ticks of the event loop, in ms. */
const TICK_MS = 200;
/** Delay before a thread that ended is started again, in ms. */
const RESTART_MS = 1_000;
/** Time limit for leaving the fleet, in ms. */
const LEAVE_LIMIT_MS = 3_000;
/** Much more than the thread normally needs: failing a run loads the client of the database. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 };

const THREAD = new URL(import.meta.resolve('#watchdog-thread'));

/** What a watchdog needs. */
export interface WatchdogOptions extends Omit<WatchdogData, 'shared' | 'logLevel'> {
  /** Number of runs that the worker holds. */
  readonly activeRuns: () => number;
  /** Whether it leaves jobs to other workers. */
  readonly isStandby: () => boolean;
  /** Called when an operator has asked the worker to drain; perhaps several times. */
  readonly onDrainRequested: () => void;
  /** Called when a heartbeat found that a deputy of the maintenance lease's holder is missing. */
  readonly onDeputyMissing: () => void;
  readonly logger: Logger;
}

/** A thread that sends the worker's heartbeats and that the main thread cannot block. */
export interface Watchdog {
  /** Sends a heartbeat at once, because the worker no longer stands by: it announces that they come more often. */
  takesJobs(): void;
  /** Changes the worker's state, and sends it with a heartbeat at once. */
  setState(state: WorkerState): void;
  /** Returns the total time of blocks of the event loop that lasted more than a second, in seconds. */
  readonly blockedSeconds: () => number;
  /** Stops the heartbeats and removes the worker from the fleet. */
  leave(): Promise<void>;
}

/** Starts the watchdog. If its thread ends by itself, it is started again. */
export function startWatchdog({
  activeRuns,
  isStandby,
  onDrainRequested,
  onDeputyMissing,
  logger,
  ...data
}: WatchdogOptions): Watchdog {
  const shared = createSharedState();
  let hasLeft = false;
  let thread = start();

  function start(): Worker {
    const workerData: WatchdogData = { ...data, shared, logLevel: logger.level };
    const started = new Worker(THREAD, { workerData, execArgv: [], resourceLimits: THREAD_LIMITS });
    started.on('message', (report: WatchdogReport) => {
      if (report.kind === 'blocked') logger.warn(report.block, 'event loop was blocked');
      else if (report.kind === 'drainRequested') onDrainRequested();
      else if (report.kind === 'deputyMissing') onDeputyMissing();
      else logger.warn({ err: report.message }, 'failed to send a heartbeat');
    });
    started.on('error', (err) => logger.error({ err }, 'watchdog thread failed'));
    started.once('exit', () => {
      if (hasLeft) return;
      setTimeout(() => (thread = hasLeft ? thread : start()), RESTART_MS);
    });
    return started;
  }

  const ticking = setInterval(() => {
    Atomics.add(shared, SLOT.ticks, 1);
    Atomics.store(shared, SLOT.activeRuns, activeRuns());
    storeStandby();
  }, TICK_MS);
  const storeStandby = (): number => Atomics.store(shared, SLOT.standby, isStandby() ? 1 : 0);
  const send = (request: WatchdogRequest): void => thread.postMessage(request);

  return {
    takesJobs() {
      storeStandby();
      send('heartbeat');
    },
    setState(state) {
      Atomics.store(shared, SLOT.state, STATES.indexOf(state));
      send('heartbeat');
    },
    blockedSeconds: () => Atomics.load(shared, SLOT.blockedMs) / 1_000,
    async leave() {
      hasLeft = true;
      const timeout = new AbortController();
      const { signal } = timeout;
      const exited = once(thread, 'exit', { signal });
      send('leave');
      await Promise.race([exited, sleep(LEAVE_LIMIT_MS, undefined, { signal })]).catch(() => undefined);
      timeout.abort();
      await thread.terminate();
      clearInterval(ticking);
    },
  };
}
