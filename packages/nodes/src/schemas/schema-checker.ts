import type { ValidationIssues } from '@deckhand/contracts';
import type { Piscina } from 'piscina';
import { createFairSemaphore } from '../code/fair-semaphore.ts';
import type { SchemaTask } from './thread.ts';

/** Maximum duration of a check in ms. */
const CHECK_MS = 3_000;
/** Maximum duration of the start of a thread in ms: on a busy machine it takes far longer than a check. */
const START_MS = 20_000;
/** How long an idle thread is kept, in ms. */
const IDLE_MS = 30_000;
/** Niceness of the thread relative to the process, on systems that support it for threads. */
const NICE = process.platform === 'linux' ? 5 : 0;
const THREAD_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Checks data against schemas of untrusted authors, of forms and inputs, at any cost. */
export interface SchemaChecker {
  /**
   * Checks data against a schema.
   * @param group whose checks share the thread fairly with those of others: a workspace.
   * @returns the problems of the data; none if it fits.
   */
  check(group: string, task: SchemaTask): Promise<ValidationIssues>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/**
 * Creates a checker that runs on a thread of its own. The author of a schema determines the cost of the check (a few
 * references make it exponential), and nobody else may wait for it. A check that takes too long, or too much memory, is
 * ended with its thread. The thread starts with the first check and ends when it is idle.
 */
export function createSchemaChecker(): SchemaChecker {
  const semaphore = createFairSemaphore(1);
  let pool: Promise<Piscina<SchemaTask, ValidationIssues>> | undefined;

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
        if (deadline?.aborted) return { issues: [{ path: '', message: 'takes too long to check against its schema' }] };
        if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          return { issues: [{ path: '', message: 'takes too much memory to check against its schema' }] };
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
const NOTHING: SchemaTask = { details: '{"schema":{}}', data: null };

async function createPool(): Promise<Piscina<SchemaTask, ValidationIssues>> {
  // Loaded on first use, because few processes need a thread.
  const { Piscina } = await import('piscina');
  const filename = new URL(import.meta.resolve('#schema-thread')).href;
  const pool = new Piscina<SchemaTask, ValidationIssues>({
    filename,
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
