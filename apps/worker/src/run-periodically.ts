import type { Logger } from '@deckhand/runtime';

/** Something that is done again and again. */
export interface PeriodicTask {
  /** Names it in logs and metrics: `wake_resting_runs`. */
  readonly name: string;
  /** From the start of one pass to the start of the next, in ms. */
  readonly intervalMs: number;
  /** A pass that takes longer is cut off, in ms: its signal is aborted, and the next pass does not wait for it. */
  readonly timeLimitMs: number;
  /** Whether a pass is wanted now; always without it. */
  readonly isWanted?: () => boolean;
  /**
   * Makes one pass.
   * @param signal aborted when the pass is cut off or the task is stopped: it begins no further batch then.
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Notified of what becomes of the passes of tasks. */
export interface TaskObserver {
  /** A pass ended, in time and without an error. */
  readonly passed: (task: string, seconds: number) => void;
  /** A pass failed, or was cut off (TaskTimeLimitError). */
  readonly failed: (task: string, error: unknown) => void;
}

/** A pass took longer than its time limit. */
export class TaskTimeLimitError extends Error {
  override readonly name = 'TaskTimeLimitError';
}

/** Passes that were cut off and still go on: with more of them, no pass is begun until one ends. */
const MAX_ABANDONED_PASSES = 1;
/** Shortest pause between two passes, in ms. */
const MIN_PAUSE_MS = 10;

/**
 * Runs a task periodically. A pass begins when the one before has ended or was cut off, so a slow pass never overlaps
 * the next, and one that hangs overlaps one other pass at most. An error is logged, and the next pass is made at its
 * time.
 * @param options.delayMs before the first pass: tasks that begin together would ask for their connections together.
 * @returns a function that stops it.
 */
export function runPeriodically(
  task: PeriodicTask,
  { logger, observer, delayMs = 0 }: { logger: Logger; observer?: TaskObserver; delayMs?: number },
): () => void {
  let isStopped = false;
  let current: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let abandoned = 0;

  async function tick(): Promise<void> {
    const startedAt = performance.now();
    if (abandoned <= MAX_ABANDONED_PASSES && (task.isWanted?.() ?? true)) {
      try {
        await pass();
        observer?.passed(task.name, (performance.now() - startedAt) / 1_000);
      } catch (err) {
        if (!isStopped) {
          logger.warn({ err, task: task.name }, 'a periodic task failed and will be tried again');
          observer?.failed(task.name, err);
        }
      }
    }
    const leftMs = Math.max(task.intervalMs - (performance.now() - startedAt), MIN_PAUSE_MS);
    if (!isStopped) timer = setTimeout(() => void tick(), leftMs);
  }

  /** @throws what the pass throws, or TaskTimeLimitError. */
  async function pass(): Promise<void> {
    const cutOff = new AbortController();
    current = cutOff;
    const work = task.run(cutOff.signal);
    let limit: NodeJS.Timeout | undefined;
    const timeIsUp = new Promise<'late'>((resolve) => {
      limit = setTimeout(() => resolve('late'), task.timeLimitMs);
    });
    const outcome = await Promise.race([work.then(() => 'done' as const), timeIsUp]).finally(() => clearTimeout(limit));
    if (outcome === 'done') return;
    abandoned += 1;
    work
      .catch((err: unknown) => logger.warn({ err, task: task.name }, 'a pass that had been cut off failed'))
      .finally(() => {
        abandoned -= 1;
      });
    const error = new TaskTimeLimitError(`${task.name} took longer than ${task.timeLimitMs} ms`);
    cutOff.abort(error);
    throw error;
  }

  timer = setTimeout(() => void tick(), delayMs);
  return () => {
    isStopped = true;
    current?.abort();
    clearTimeout(timer);
  };
}
