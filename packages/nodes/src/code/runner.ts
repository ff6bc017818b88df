import { parseJson } from '@deckhand/contracts';
import { NodeError, type NodeFailure, type Script, type ScriptResult, type ScriptRunner } from '@deckhand/engine';
import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { limitReached, outOfMemory, tooLate } from './failures.ts';
import type { ScriptAnswer, ScriptTask } from './task.ts';
import { checkedResult, findTextExcess } from '../text/limit.ts';
import { runInSlices } from '../work/slices.ts';
import { createFairSemaphore } from './fair-semaphore.ts';

/** How long an idle thread is kept, in ms: it takes 30 MB, and starting another 60 ms. */
const IDLE_MS = 10_000;
/** How long after a script's own limit its thread is terminated, in ms: time to stop by itself. */
const GRACE_MS = 2_000;
/** How long a thread may take to start, in ms: long on a busy machine, and not counted as time of the script. */
const START_LIMIT_MS = 60_000;
/** Times are counted in steps of so many ms: one in which this process was busy counts as one, however long it took. */
const STEP_MS = 250;
/** Nice value of the threads relative to the process's main thread, on systems where threads have one. */
const NICE = process.platform === 'linux' ? 5 : 0;
/** Memory of a thread in addition to its sandbox: the texts that are passed in and out. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

const THREAD = new URL(import.meta.resolve('#code-thread'));

/** Options of a runner. */
export interface ScriptRunnerOptions {
  /**
   * Maximum number of concurrent scripts of a workspace, each on a thread; by default one less than there are cores,
   * and at least two. There is one more thread than that, so that other workspaces find one.
   */
  readonly threads?: number;
}

/** A runner with threads. */
export interface PooledScriptRunner extends ScriptRunner {
  /** Terminates the threads, and the scripts that they run. */
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
      // A signal of its own: a run may have many waiting scripts, and one signal warns about many listeners.
      const signal = AbortSignal.any([script.signal, overdue.signal]);
      const release = await semaphore.acquire(script.workspaceId, signal, script.executionId);
      const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      let [startMs, runMs] = [0, 0];
      const timer = setInterval(() => {
        if (Atomics.load(begun, 0) === 0) startMs += STEP_MS;
        else runMs += STEP_MS;
        if (startMs > START_LIMIT_MS || runMs > script.timeoutMs + GRACE_MS) overdue.abort();
      }, STEP_MS);
      try {
        return await runOnThread(await (pool ??= createPool(threads + 1)), { ...script, begun }, signal);
      } catch (error) {
        script.signal.throwIfAborted();
        const failure = overdue.signal.aborted ? tooLate(script.timeoutMs) : ofThread(error);
        return { kind: 'failure', failure, console: [] };
      } finally {
        clearInterval(timer);
        release();
      }
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}

async function createPool(threads: number): Promise<Piscina<ScriptTask, ScriptAnswer>> {
  // Loaded on first use: most importers of this package run no scripts.
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
  // A thread that ends without a task loses nothing.
  pool.on('error', () => undefined);
  return pool;
}

async function runOnThread(
  pool: Piscina<ScriptTask, ScriptAnswer>,
  script: Script & Pick<ScriptTask, 'begun'>,
  signal: AbortSignal,
): Promise<ScriptResult> {
  const { source, timeoutMs, memoryBytes, keepsConsole, begun } = script;
  // The text and its parsed value share the memory: a text that cannot fit is not even written.
  const tooMuch: ScriptResult = { kind: 'failure', failure: outOfMemory(memoryBytes), console: [] };
  if (!(await fits(script, memoryBytes / 2))) return tooMuch;
  const names = JSON.stringify(script.names);
  // With its escapes, which were not counted.
  if (names.length > memoryBytes / 2) return tooMuch;
  const answer = await pool.run({ source, names, timeoutMs, memoryBytes, keepsConsole, begun }, { signal });
  const { console } = answer;
  if ('failure' in answer) return { kind: 'failure', failure: answer.failure, console };
  const excess = findTextExcess(answer.text);
  if (excess !== undefined)
    return { kind: 'failure', failure: limitReached(`what the script returns ${excess}`), console };
  return { kind: 'output', output: parseJson(answer.text), console };
}

/** Returns true if the values that a script reads have at most so many characters as JSON. Counts in slices. */
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
