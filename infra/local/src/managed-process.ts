import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { forget, watchOver } from './guard.ts';
import { tail } from './log-tail.ts';

/** How to run a program in the background. */
export interface ProcessOptions {
  /** The name in messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The file for its output, which replaces an older log. */
  readonly logPath: string;
  /** Its standard input; empty by default. */
  readonly input?: string;
  /** The signal of a graceful stop. */
  readonly stopSignal?: NodeJS.Signals;
  /** Maximum time to stop before it is killed, in ms. */
  readonly graceMs?: number;
  /** User and group to run as (root only). */
  readonly identity?: { readonly uid: number; readonly gid: number } | undefined;
}

/** A program that runs in the background. */
export interface ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logPath: string;
  /** Resolves when it has ended, with the reason: `code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  isRunning(): boolean;
  /** Returns the end of its log. */
  output(): string;
  /** Stops it gracefully, and kills it after its grace period. Resolves when it has ended. May be called again. */
  stop(): Promise<void>;
  /** Sends a signal, SIGKILL by default; resolves when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a program in a process group of its own, so that Ctrl-C reaches only this process, which decides the order of
 * stopping. The program never outlives this process (guard.ts).
 * @throws if it cannot be started.
 */
export async function startProcess(options: ProcessOptions): Promise<ManagedProcess> {
  mkdirSync(dirname(options.logPath), { recursive: true });
  const log = openSync(options.logPath, 'w');
  const child = spawn(options.command, options.args, {
    detached: true,
    env: options.env,
    cwd: options.cwd,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', log, log],
    ...options.identity,
  });
  closeSync(log);
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (error) => reject(new Error(`${options.name} cannot be started: ${error.message}`)));
  });

  const stopSignal = options.stopSignal ?? 'SIGTERM';
  watchOver(pid, stopSignal);
  let isRunning = true;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      isRunning = false;
      forget(pid);
      resolve(signal ?? `code ${code}`);
    });
  });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input);

  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (isRunning) child.kill(signal);
    await ended;
  };
  return {
    name: options.name,
    pid,
    logPath: options.logPath,
    ended,
    isRunning: () => isRunning,
    output: () => tail(options.logPath),
    stop: async () => {
      const deadline = setTimeout(() => void child.kill('SIGKILL'), options.graceMs ?? 10_000);
      await kill(stopSignal).finally(() => clearTimeout(deadline));
    },
    kill,
  };
}
