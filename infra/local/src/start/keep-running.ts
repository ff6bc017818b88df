import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagedProcess } from '../managed-process.js';
import { tail } from '../log-tail.js';
import type { Stack } from './stack.js';

/** Before a part is started again: at first, and at most once it ends again and again, in ms. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** A part that ran for this long was well: its next end is a first one, in ms. */
const HEALTHY_AFTER_MS = 60_000;

/** How much of a log is shown when its process ended. */
const SHOWN_BYTES = 1_500;

/** Something that can be started again after it ended. */
interface Restartable {
  /** The process that runs, or the last one that did. */
  readonly process: ManagedProcess;
  /** Starts it again. @throws when it does not get ready. */
  restart(): Promise<void>;
}

/** A clock and a pause, in ms. */
interface Clock {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const STEADY_CLOCK: Clock = { now: () => performance.now(), pause: (ms) => sleep(ms) };

/**
 * Starts a part again whenever it ends unasked, until the stack is stopped: after 1 s at first, then after twice as
 * long each time, 30 s at most. A part that ran for a minute begins anew.
 * @param report is given a line for people each time.
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
    // One that does not get ready has ended, too: the next round waits for longer.
    await part.restart().catch((error: unknown) => report(error instanceof Error ? error.message : String(error)));
  }
}
