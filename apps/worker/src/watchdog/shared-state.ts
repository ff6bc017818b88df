import type { RedisTarget, WorkerDescription, WorkerState } from '@deckhand/queue';

/** Index of each number that the main thread and the watchdog thread share. */
export const SLOT = {
  /** Ticks of the main thread's event loop. */
  ticks: 0,
  /** The worker's state, as an index of STATES. */
  state: 1,
  /** Runs that the worker holds. */
  activeRuns: 2,
  /** Total time in which the event loop was blocked, in ms. */
  blockedMs: 3,
  /** 1 while it stands by. */
  standby: 4,
} as const;

/** Creates the shared numbers, all 0. */
export function createSharedState(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Object.keys(SLOT).length * Int32Array.BYTES_PER_ELEMENT));
}

/** The states of a worker, by their number in the shared state. */
export const STATES: readonly WorkerState[] = ['starting', 'consuming', 'stalled', 'draining'];

/** The data with which the watchdog thread starts. */
export interface WatchdogData {
  readonly shared: Int32Array;
  /** The constant part of the worker's heartbeats. */
  readonly worker: Omit<WorkerDescription, 'state' | 'active' | 'blockedMs' | 'occupiedBy' | 'isStandby'>;
  readonly redis: RedisTarget;
  readonly databaseUrl: string;
  /** How long the event loop may be blocked before the thread ends the process, in ms. */
  readonly maxBlockedMs: number;
  readonly logLevel: string;
}

/** Exit code of a worker whose event loop was blocked for too long (EX_SOFTWARE of sysexits.h). */
export const EXIT_BLOCKED = 70;

/** A block of the main thread's event loop. */
export interface Block {
  /** The run that occupies it; null if that is not certain. */
  readonly executionId: string | null;
  readonly blockedMs: number;
  /** The innermost calls of the main thread; empty if it could not be interrupted. */
  readonly stack: string;
}

/** Message to the main thread: a heartbeat failed, a block is over, or an operator has asked the worker to drain. */
export type WatchdogReport =
  | { readonly kind: 'heartbeatFailed'; readonly message: string }
  | { readonly kind: 'blocked'; readonly block: Block }
  | { readonly kind: 'drainRequested' }
  | { readonly kind: 'deputyMissing' };

/** Message to the watchdog thread: send a heartbeat now, or remove the worker from the fleet and end. */
export type WatchdogRequest = 'heartbeat' | 'leave';
