import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagedProcess } from './managed-process.ts';

/** A background program ended, or did not get ready in time. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
  /** The end of its output, which shows the reason and is part of the message. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(`${message}. The end of its log:\n${output}`);
    this.output = output;
  }
}

/**
 * Resolves once `isReady` returns true. A check that throws counts as false. @throws NotReadyError when the process
 * ends first, or after `timeoutMs`.
 */
export async function waitReady(
  process: ManagedProcess,
  isReady: () => Promise<boolean>,
  timeoutMs = 120_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let how: string | undefined;
  void process.ended.then((reason) => (how = reason));
  while (Date.now() < deadline) {
    if (await isReady().catch(() => false)) return;
    if (how !== undefined) throw new NotReadyError(`${process.name} ended (${how}) while starting`, process.output());
    await sleep(30);
  }
  throw new NotReadyError(`${process.name} was not ready after ${timeoutMs / 1000} s`, process.output());
}
