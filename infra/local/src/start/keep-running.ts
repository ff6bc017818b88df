import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagedProcess } from '../managed-process.ts';
import { tail } from '../log-tail.ts';
import type { Stack } from './stack.ts';

/** Delay before a part is started again: the first, and the longest if it ends repeatedly, in ms. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** A part that ran for this long counts as healthy: after its next end, the delay is the first one again, in ms. */
const HEALTHY_AFTER_MS = 60_000;

/** Bytes of the log that are shown when a process ended. */
const SHOWN_BYTES = 1_500;

/** A part that can be started again. */
interface Restartable {
  /** The running process, or the last one. */
  readonly process: ManagedProcess;
  /** Starts it again. @throws if it does not get ready. */
  restart(): Promise<void>;
}

/** A clock and a delay, in ms. */
interface Clock {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const STEADY_CLOCK: Clock = { now: () => performance.now(), pause: (ms) => sleep(ms) };

/**
 * Starts a part again whenever it ends unexpectedly, until the stack is stopped. The delay is 1 s at first and doubles
 * each time, up to 30 s. After a minute of running it is 1 s again.
 * @param report called with a message each time.
 */
export async function keepRunning(
  part: Restartable,
  stack: Pick<Stack, 'isStopping'>,
  report: (line: string) => void,
  { now, pause }: Clock = STEADY_CLOCK,
): Promise<void> {
  let pauseMs = MIN_PAUSE_MS;
  for (let startedAt = now(); !stack.isStopping(); startedAt = now()) {
    const { name, ended, logPath } = part.process;
    const how = await ended;
    if (stack.isStopping()) return;
    if (now() - startedAt >= HEALTHY_AFTER_MS) pauseMs = MIN_PAUSE_MS;
    const seconds = pauseMs / 1_000;
    report(
      `${name} ended unexpectedly (${how}) and is started again in ${seconds} s. The end of ${logPath}:\n${tail(logPath, SHOWN_BYTES)}`,
    );
    await pause(pauseMs);
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    if (stack.isStopping()) return;
    // A part that does not get ready has ended: the next delay is longer.
    await part.restart().catch((error: unknown) => report(error instanceof Error ? error.message : String(error)));
  }
}
