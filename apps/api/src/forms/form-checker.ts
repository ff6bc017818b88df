import type { ValidationIssues } from '@deckhand/contracts';
import { createFairSemaphore } from '@deckhand/nodes';
import type { Piscina } from 'piscina';
import type { FormTask } from './thread.ts';

/** Maximum duration of a check in ms. */
const CHECK_MS = 3_000;
/** Maximum duration of the start of a thread in ms: on a busy machine it takes far longer than a check. */
const START_MS = 20_000;
/** How long an idle thread is kept, in ms. */
const IDLE_MS = 30_000;
/** Niceness of the thread relative to the process, on systems that support it for threads. */
const NICE = process.platform === 'linux' ? 5 : 0;
const THREAD_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

const THREAD = new URL(import.meta.resolve('#form-thread'));

/** Checks the data of forms. */
export interface FormChecker {
  /**
   * Checks data against its form.
   * @param group whose forms share the thread fairly with those of others: a workspace.
   * @returns the problems of the data; none if it fits.
   */
  check(group: string, task: FormTask): Promise<ValidationIssues>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/**
 * Creates a checker that runs on a thread of its own. The author of a form determines the cost of the check (a few
 * references make it exponential), and nobody else may wait for it. A check that takes too long, or too much memory, is
 * ended with its thread. The thread starts with the first check and ends when it is idle.
 */
export function createFormChecker(): FormChecker {
  const semaphore = createFairSemaphore(1);
  let pool: Promise<Piscina<FormTask, ValidationIssues>> | undefined;

  return {
    async check(group, task) {
      const release = await semaphore.acquire(group, new AbortController().signal);
      let deadline: AbortSignal | undefined;
      try {
        const threads = await (pool ??= createPool());
        // Nobody's data is to blame for the time that a thread takes to start.
        if (threads.threads.length === 0) await threads.run(NOTHING, { signal: AbortSignal.timeout(START_MS) });
        deadline = AbortSignal.timeout(CHECK_MS);
        return await threads.run(task, { signal: deadline });
      } catch (error) {
        if (deadline?.aborted) return { issues: [{ path: '', message: 'takes too long to check against the form' }] };
        if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          return { issues: [{ path: '', message: 'takes too much memory to check against the form' }] };
        throw error;
      } finally {
        release();
      }
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}

/** A check that any data passes. */
const NOTHING: FormTask = { details: '{"schema":{}}', data: null };

async function createPool(): Promise<Piscina<FormTask, ValidationIssues>> {
  // Loaded on first use, because few gateways see a form.
  const { Piscina } = await import('piscina');
  const pool = new Piscina<FormTask, ValidationIssues>({
    filename: THREAD.href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
    resourceLimits: THREAD_LIMITS,
    env: {},
    execArgv: [],
    recordTiming: false,
  });
  // A thread that ends without a task loses nothing.
  pool.on('error', () => undefined);
  return pool;
}
