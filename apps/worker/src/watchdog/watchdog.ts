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
} from './shared-state.js';

/** Between two ticks of the event loop, in ms. */
const TICK_MS = 200;
/** Before a thread that ended is started again, in ms. */
const RESTART_MS = 1_000;
/** How long the thread may take to leave the fleet, in ms. */
const LEAVE_LIMIT_MS = 3_000;
/** Much more than it needs while all is well: the last resort loads the database's client. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 };

/** Only the compiled file can be a thread's; tests run the sources. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/watchdog/thread.js' : './thread.js',
  import.meta.url,
);

/** What a watchdog works with. */
export interface WatchdogOptions extends Omit<WatchdogData, 'shared' | 'logLevel'> {
  /** Number of runs that the worker holds. */
  readonly activeRuns: () => number;
  readonly logger: Logger;
}

/**
 * The watchdog of this process: a thread that sends the worker's heartbeats, and that nothing on the main thread can
 * block.
 */
export interface Watchdog {
  /** Changes the worker's state, which the fleet is told at once. */
  setState(state: WorkerState): void;
  /** How long the event loop was blocked in all, for more than a second each time, in seconds. */
  readonly blockedSeconds: () => number;
  /** Sends no heartbeat any more and takes the worker out of the fleet. */
  leave(): Promise<void>;
}

/** Starts it. A thread that ends by itself is started again. */
export function startWatchdog({ activeRuns, logger, ...data }: WatchdogOptions): Watchdog {
  const shared = createSharedState();
  let hasLeft = false;
  let thread = start();

  function start(): Worker {
    const workerData: WatchdogData = { ...data, shared, logLevel: logger.level };
    const started = new Worker(THREAD, { workerData, execArgv: [], resourceLimits: THREAD_LIMITS });
    started.on('message', (report: WatchdogReport) => {
      if (report.kind === 'blocked') logger.warn(report.block, 'the event loop was blocked');
      else logger.warn({ err: report.message }, 'a heartbeat failed');
    });
    started.on('error', (err) => logger.error({ err }, 'the watchdog thread failed'));
    started.once('exit', () => {
      if (hasLeft) return;
      setTimeout(() => (thread = hasLeft ? thread : start()), RESTART_MS);
    });
    return started;
  }

  const ticking = setInterval(() => {
    Atomics.add(shared, SLOT.ticks, 1);
    Atomics.store(shared, SLOT.activeRuns, activeRuns());
  }, TICK_MS);
  const ask = (request: WatchdogRequest): void => thread.postMessage(request);

  return {
    setState(state) {
      Atomics.store(shared, SLOT.state, STATES.indexOf(state));
      ask('beat');
    },
    blockedSeconds: () => Atomics.load(shared, SLOT.blockedMs) / 1_000,
    async leave() {
      hasLeft = true;
      const patience = new AbortController();
      const { signal } = patience;
      const exited = once(thread, 'exit', { signal });
      ask('leave');
      await Promise.race([exited, sleep(LEAVE_LIMIT_MS, undefined, { signal })]).catch(() => undefined);
      patience.abort();
      await thread.terminate();
      clearInterval(ticking);
    },
  };
}
