import type { ManagedProcess } from '@deckhand/local';

/** Takes the machine from a process, as it is. */
export function freeze({ pid }: ManagedProcess): void {
  process.kill(pid, 'SIGSTOP');
}

/** Gives it back. */
export function thaw({ pid }: ManagedProcess): void {
  process.kill(pid, 'SIGCONT');
}
