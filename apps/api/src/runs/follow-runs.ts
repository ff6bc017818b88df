import type { Database } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { createFollowedRuns, type FollowedRuns, type FollowOptions, type ReportedState } from './followed-runs.ts';

/** Returns true for a state that ends a wait. */
export type IsEnough = (state: ReportedState) => boolean;

/** Bounds of a wait. With `survivesDrain` it goes on for some seconds after `drain`. */
export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly survivesDrain?: boolean;
}

/** Follows a run until `close`. Changes between two waits are not lost. */
export interface RunSubscription {
  /** Waits as `waitFor` does, for a state that no earlier wait has ended with. One wait at a time. */
  until(isEnough: IsEnough, options: WaitOptions): Promise<boolean>;
  close(): void;
}

/** Follows any number of runs for those who wait for them. One query polls all of them. */
export interface RunFollower extends FollowedRuns {
  /** Subscribes to a run. */
  subscribe(executionId: string, options?: FollowOptions): RunSubscription;
  /**
   * Resolves with true once the state of the run is enough. Resolves with false when the time (ms) is up, the signal
   * aborts, or the process drains. With `survivesDrain` it waits some seconds longer in that case, for a response that
   * only this request can get.
   */
  waitFor(executionId: string, isEnough: IsEnough, options: FollowOptions & WaitOptions): Promise<boolean>;
  /** Ends every wait, now and from now on, because the process is about to stop. */
  readonly drain: () => void;
  readonly isDraining: () => boolean;
}

/** How long waits with `survivesDrain` go on after `drain`, in ms: less than requests in progress get. */
const DRAIN_GRACE_MS = 7_000;

/** What a subscription does: it waits, or is between two waits. `unseen`: the last state that ended no wait. */
export type SubscriptionState =
  | { readonly kind: 'idle'; readonly unseen: ReportedState | undefined }
  | { readonly kind: 'waiting'; readonly isEnough: IsEnough; readonly unseen: ReportedState | undefined };

/** What happens to a subscription. `waitEnded`: the time is up, or the caller or the process does not wait longer. */
export type SubscriptionEvent =
  | { readonly kind: 'reported'; readonly state: ReportedState }
  | { readonly kind: 'waitBegan'; readonly isEnough: IsEnough }
  | { readonly kind: 'waitEnded' };

/** The next state, and the result of the wait that it ends, if any. */
export interface SubscriptionStep {
  readonly next: SubscriptionState;
  readonly result?: boolean;
}

/** Returns the state of a subscription after an event, and the result of the wait if it is over. */
export function nextSubscription(before: SubscriptionState, event: SubscriptionEvent): SubscriptionStep {
  const { unseen } = before;
  switch (event.kind) {
    case 'reported':
      return check({ ...before, unseen: event.state });
    case 'waitBegan':
      return check({ kind: 'waiting', isEnough: event.isEnough, unseen });
    case 'waitEnded':
      return before.kind === 'waiting' ? { next: { kind: 'idle', unseen }, result: false } : { next: before };
  }
}

function check(state: SubscriptionState): SubscriptionStep {
  if (state.kind === 'idle' || !state.unseen || !state.isEnough(state.unseen)) return { next: state };
  // If the reported state were wrong, a caller that reads the run would otherwise get it again and again.
  return { next: { kind: 'idle', unseen: undefined }, result: true };
}

/** Creates the follower of a process. */
export function createRunFollower({ db, logger }: { db: Database; logger: Logger }): RunFollower {
  const runs = createFollowedRuns(db, logger);
  const waits = createWaits();

  function subscribe(executionId: string, options?: FollowOptions): RunSubscription {
    let state: SubscriptionState = { kind: 'idle', unseen: undefined };
    let settle = (_isMet: boolean): void => undefined;

    function handle(event: SubscriptionEvent): void {
      const { next, result } = nextSubscription(state, event);
      state = next;
      if (result !== undefined) settle(result);
    }

    return {
      close: runs.follow(executionId, (reported) => handle({ kind: 'reported', state: reported }), options),
      async until(isEnough, { timeoutMs, signal, survivesDrain = false }) {
        if (state.kind === 'waiting') throw new Error('a wait of this subscription is in progress');
        if (signal.aborted || !waits.mayBegin(survivesDrain)) return false;
        const settled = Promise.withResolvers<boolean>();
        settle = settled.resolve;
        const endWait = (): void => handle({ kind: 'waitEnded' });
        const timer = setTimeout(endWait, timeoutMs);
        const ended = waits.begin(endWait, survivesDrain);
        signal.addEventListener('abort', endWait);
        handle({ kind: 'waitBegan', isEnough });
        try {
          return await settled.promise;
        } finally {
          clearTimeout(timer);
          ended();
          signal.removeEventListener('abort', endWait);
        }
      },
    };
  }

  return {
    ...runs,
    subscribe,
    async waitFor(executionId, isEnough, options) {
      const subscription = subscribe(executionId, options);
      try {
        return await subscription.until(isEnough, options);
      } finally {
        subscription.close();
      }
    },
    drain: waits.drain,
    isDraining: waits.isDraining,
    close() {
      runs.close();
      waits.close();
    },
  };
}

/** The waits in progress in a process, which end when it stops. */
interface Waits {
  /** Returns whether a wait may begin. */
  readonly mayBegin: (survivesDrain: boolean) => boolean;
  /** Keeps a wait that begins, and the function that ends it. @returns a function that forgets it. */
  readonly begin: (endWait: () => void, survivesDrain: boolean) => () => void;
  readonly drain: () => void;
  readonly isDraining: () => boolean;
  readonly close: () => void;
}

function createWaits(): Waits {
  /** Functions that end the waits in progress, and whether each survives a drain. */
  const waits = new Map<() => void, boolean>();
  /** `draining`: only waits with `survivesDrain` go on; `drained`: no wait does. */
  let phase: 'open' | 'draining' | 'drained' = 'open';
  let graceTimer: NodeJS.Timeout | undefined;

  function mayBegin(survivesDrain: boolean): boolean {
    return phase === 'open' || (phase === 'draining' && survivesDrain);
  }

  function enter(next: 'draining' | 'drained'): void {
    phase = next;
    for (const [endWait, survivesDrain] of waits) if (!mayBegin(survivesDrain)) endWait();
  }

  return {
    mayBegin,
    begin(endWait, survivesDrain) {
      waits.set(endWait, survivesDrain);
      return () => waits.delete(endWait);
    },
    drain() {
      if (phase !== 'open') return;
      enter('draining');
      graceTimer = setTimeout(() => enter('drained'), DRAIN_GRACE_MS).unref();
    },
    isDraining: () => phase !== 'open',
    close() {
      clearTimeout(graceTimer);
      enter('drained');
    },
  };
}
