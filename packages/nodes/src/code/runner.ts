import { parseJson } from '@deckhand/contracts';
import { NodeError, type NodeFailure, type Script, type ScriptResult, type ScriptRunner } from '@deckhand/engine';
import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { limitReached, outOfMemory, tooLate } from './failures.js';
import type { ScriptAnswer, ScriptTask } from './task.js';
import { checkedResult, findTextExcess } from '../text/limit.js';
import { runInSlices } from '../work/slices.js';
import { createFairSemaphore } from './fair-semaphore.js';

/** How long a thread without work is kept, in ms. */
const IDLE_MS = 30_000;
/** How much later than a script's own limit its thread is ended, in ms: time to start one, and to stop by itself. */
const GRACE_MS = 2_000;
/** How much the threads stand back behind the process's own thread, where the system knows that of threads. */
const NICE = process.platform === 'linux' ? 5 : 0;
/** What a thread may take beside its sandbox: the texts that come and go. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Only the compiled file can be a thread's; tests run the sources. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? '../../dist/code/thread.js' : './thread.js', import.meta.url);

/** How scripts are run. */
export interface ScriptRunnerOptions {
  /**
   * Scripts of one workspace at once, each on a thread; by default one less than there are cores, and two at least.
   * There is a thread more than that, so that others find one.
   */
  readonly threads?: number;
}

/** A runner that holds threads. */
export interface PooledScriptRunner extends ScriptRunner {
  /** Ends the threads, with what they run. */
  close(): Promise<void>;
}

/**
 * Runs scripts in sandboxes on threads of their own, so that none takes time from the thread that renews locks and
 * heartbeats. Threads start with the first script and end when there is nothing to do. An abort ends the script's
 * thread.
 */
export function createScriptRunner(options: ScriptRunnerOptions = {}): PooledScriptRunner {
  const threads = options.threads ?? Math.max(2, availableParallelism() - 1);
  const semaphore = createFairSemaphore(threads + 1, threads);
  let pool: Promise<Piscina<ScriptTask, ScriptAnswer>> | undefined;

  return {
    async run(script) {
      const overdue = new AbortController();
      // One of its own: a run may have many scripts in line, and its signal warns of many listeners.
      const signal = AbortSignal.any([script.signal, overdue.signal]);
      const release = await semaphore.acquire(script.workspaceId, signal, script.executionId);
      const timer = setTimeout(() => {
        overdue.abort();
      }, script.timeoutMs + GRACE_MS);
      try {
        return await runOnThread(await (pool ??= createPool(threads + 1)), script, signal);
      } catch (error) {
        script.signal.throwIfAborted();
        const failure = overdue.signal.aborted ? tooLate(script.timeoutMs) : ofThread(error);
        return { kind: 'failure', failure, console: [] };
      } finally {
        clearTimeout(timer);
        release();
      }
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}

async function createPool(threads: number): Promise<Piscina<ScriptTask, ScriptAnswer>> {
  // Not loaded before it is needed: most of what imports this package runs no scripts.
  const { Piscina } = await import('piscina');
  const pool = new Piscina<ScriptTask, ScriptAnswer>({
    filename: THREAD.href,
    minThreads: 0,
    maxThreads: threads,
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

async function runOnThread(
  pool: Piscina<ScriptTask, ScriptAnswer>,
  script: Script,
  signal: AbortSignal,
): Promise<ScriptResult> {
  const { source, timeoutMs, memoryBytes, keepsConsole } = script;
  // The text and what it is parsed to share the memory: what can't fit is not even written.
  const tooMuch: ScriptResult = { kind: 'failure', failure: outOfMemory(memoryBytes), console: [] };
  if (!(await fits(script, memoryBytes / 2))) return tooMuch;
  const names = JSON.stringify(script.names);
  // With its escapes, which were not counted.
  if (names.length > memoryBytes / 2) return tooMuch;
  const answer = await pool.run({ source, names, timeoutMs, memoryBytes, keepsConsole }, { signal });
  const { console } = answer;
  if ('failure' in answer) return { kind: 'failure', failure: answer.failure, console };
  const excess = findTextExcess(answer.text);
  if (excess !== undefined)
    return { kind: 'failure', failure: limitReached(`what the script returns ${excess}`), console };
  return { kind: 'output', output: parseJson(answer.text), console };
}

/** Whether what a script reads has at most so many characters as JSON. Counts it in slices. */
async function fits({ names, signal }: Script, maxLength: number): Promise<boolean> {
  try {
    await runInSlices(
      () => signal,
      (work) => checkedResult(names, work, maxLength),
    );
    return true;
  } catch (error) {
    if (error instanceof NodeError && error.code === 'RESULT_TOO_LARGE') return false;
    throw error;
  }
}

/** Converts the error that ended a thread. @throws the error, if it is not the script's. */
function ofThread(error: unknown): NodeFailure {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return limitReached('the script reads or returns too much data');
  }
  throw error;
}
