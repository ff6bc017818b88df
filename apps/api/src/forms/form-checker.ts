import type { Faults } from '@deckhand/contracts';
import { createFairSemaphore } from '@deckhand/nodes';
import type { Piscina } from 'piscina';
import type { FormTask } from './thread.js';

/** How long a check may take, in ms: its thread may have to start first. */
const CHECK_MS = 3_000;
/** How long a thread without work is kept, in ms. */
const IDLE_MS = 30_000;
/** How much a thread stands back behind the process's own thread, where the system knows that of threads. */
const NICE = process.platform === 'linux' ? 5 : 0;
const THREAD_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Only the compiled file can be a thread's; tests run the sources. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? '../../dist/forms/thread.js' : './thread.js', import.meta.url);

/** Checks what people fill in. */
export interface FormChecker {
  /**
   * Checks an answer against its form.
   * @param group whose forms share the thread fairly with those of others: a workspace.
   * @returns the faults of the data; none when it fits.
   */
  check(group: string, task: FormTask): Promise<Faults>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/**
 * Checks answers on a thread of its own: a form's author chooses what checking costs (a few references make it
 * exponential), and nobody else may wait for it. A check that takes too long, or too much memory, is ended with its
 * thread. The thread starts with the first check and ends when there is nothing to do.
 */
export function createFormChecker(): FormChecker {
  const semaphore = createFairSemaphore(1);
  let pool: Promise<Piscina<FormTask, Faults>> | undefined;

  return {
    async check(group, task) {
      const release = await semaphore.acquire(group, new AbortController().signal);
      const deadline = AbortSignal.timeout(CHECK_MS);
      try {
        return await (await (pool ??= createPool())).run(task, { signal: deadline });
      } catch (error) {
        if (deadline.aborted) return { faults: [{ path: '', message: 'takes too long to check against the form' }] };
        if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          return { faults: [{ path: '', message: 'takes too much memory to check against the form' }] };
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

async function createPool(): Promise<Piscina<FormTask, Faults>> {
  // Not loaded before it is needed: few gateways see a form.
  const { Piscina } = await import('piscina');
  const pool = new Piscina<FormTask, Faults>({
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
  // A thread that ends without a task takes nothing with it.
  pool.on('error', () => undefined);
  return pool;
}
