import type { Logger } from '@deckhand/runtime';

/** A task that runs at an interval. Each run is called a pass. */
export interface PeriodicTask {
  /** Names it in logs and metrics: `wake_resting_runs`. */
  readonly name: string;
  /** From the start of one pass to the start of the next, in ms. */
  readonly intervalMs: number;
  /** Time limit of a pass, in ms. At the limit its signal is aborted, and the next pass does not wait for it. */
  readonly timeLimitMs: number;
  /** Returns whether a pass is wanted now. Without this function, it always is. */
  readonly isWanted?: () => boolean;
  /**
   * Makes one pass.
   * @param signal aborted at the time limit or when the task is stopped; the pass then begins no further batch.
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Observes the outcomes of passes. */
export interface TaskObserver {
  /** Called when a pass succeeded within its time limit. */
  readonly passed: (task: string, seconds: number) => void;
  /** Called when a pass failed or exceeded its time limit (TaskTimeLimitError). */
  readonly failed: (task: string, error: unknown) => void;
}

/** A pass took longer than its time limit. */
export class TaskTimeLimitError extends Error {
  override readonly name = 'TaskTimeLimitError';
}

/** Passes beyond their time limit that may still be running. With more of them, no pass begins until one ends. */
const MAX_ABANDONED_PASSES = 1;
/** Shortest pause between two passes, in ms. */
const MIN_PAUSE_MS = 10;

/**
 * Runs a task periodically. A pass begins when the one before has ended or exceeded its time limit. So a slow pass
 * never overlaps the next, and a pass that hangs overlaps one other at most. Errors are logged; the next pass begins as
 * usual.
 * @param options.delayMs delay before the first pass: tasks that begin together would need their connections together.
 * @returns a function that stops the task.
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
          logger.warn({ err, task: task.name }, 'periodic task failed');
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
      .catch((err: unknown) => logger.warn({ err, task: task.name }, 'maintenance pass failed after its time limit'))
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
