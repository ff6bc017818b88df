import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagedProcess } from '../managed-process.js';
import { tail } from '../log-tail.js';
import type { Stack } from './stack.js';

const PAUSE_MS = 1_000;

/** How much of a log is shown when its process ended. */
const SHOWN_BYTES = 1_500;

/** Something that can be started again after it ended. */
interface Restartable {
  readonly process: ManagedProcess;
  restart(): Promise<void>;
}

/**
 * Starts a part again whenever it ends unasked, at most once a second, until the stack is stopped. The product outlives
 * the loss of a worker, of Redis and of PostgreSQL; this lets people see so.
 */
export async function keepRunning(part: Restartable, stack: Stack, say: (line: string) => void): Promise<void> {
  while (!stack.isStopping()) {
    const { name, ended, logPath } = part.process;
    const how = await ended;
    if (stack.isStopping()) return;
    say(
      `${name} ended unexpectedly (${how}) and is started again. The end of ${logPath}:\n${tail(logPath, SHOWN_BYTES)}`,
    );
    await sleep(PAUSE_MS);
    await restart(part, stack, say);
  }
}

async function restart(part: Restartable, stack: Stack, say: (line: string) => void): Promise<void> {
  while (!stack.isStopping()) {
    try {
      await part.restart();
      return;
    } catch (error) {
      if (stack.isStopping()) return;
      say(error instanceof Error ? error.message : String(error));
      await sleep(PAUSE_MS);
    }
  }
}
