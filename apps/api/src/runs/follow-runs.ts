import type { FinishedStatus } from '@deckhand/contracts';
import { type Database, type FollowedState, readStates } from '@deckhand/db';
import type { RunChange } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';

/** The state of a run. With the notification of its end, its result may have come, signed. */
export interface ReportedState extends FollowedState {
  readonly signedResult?: string;
}

/** Called with each state of a run that it has not seen, beginning with the present one. */
export type StateListener = (state: ReportedState) => void;

/** How a run is followed. */
export interface FollowOptions {
  /** Polls more often, to see changes that no notification reports, such as the progress of nodes. */
  readonly isLive?: boolean;
  /**
   * The follower has nothing to catch up on: this process queued the run a moment ago, or the run is read after
   * following began. The present state is not reported. The end comes by notification or by regular polling.
   */
  readonly isNew?: boolean;
}

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
export interface RunFollower {
  /** Takes notifications of changed runs. They may get lost, come twice, or be about runs that nobody follows. */
  notify(changes: readonly RunChange[]): void;
  /** Starts to follow a run. @returns a function that ends it. */
  follow(executionId: string, listener: StateListener, options?: FollowOptions): () => void;
  /** Subscribes to a run. */
  subscribe(executionId: string, options?: FollowOptions): RunSubscription;
  /**
   * Resolves with true once the state of the run is enough. Resolves with false when the time (ms) is up, the signal
   * aborts, or the process drains. With `survivesDrain` it waits some seconds longer in that case, for a response that
   * only this request can get.
   */
  waitFor(executionId: string, isEnough: IsEnough, options: FollowOptions & WaitOptions): Promise<boolean>;
  /** Ends every wait, now and from now on, because the process is about to stop. */
  drain(): void;
  isDraining(): boolean;
  /** Returns the number of listeners. */
  size(): number;
  close(): void;
}

/** Polling interval of every followed run, in ms: the longest delay that a lost notification causes. */
const POLL_INTERVAL_MS = 2_000;
/** Polling interval of runs that somebody follows live, in ms. */
const LIVE_POLL_INTERVAL_MS = 400;
/** Maximum number of runs per query. */
const MAX_BATCH_SIZE = 5_000;
/** How many ends, and how many responses, are remembered, for callers that start to follow a run as it ends. */
const MAX_REMEMBERED = 10_000;
/** The revision of an end that was reported by a notification, not read. No run has it. */
const UNREAD_REVISION = Infinity;
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

interface Followed {
  readonly listeners: Set<StateListener>;
  live: number;
  revision: number;
}

/** Creates the follower of a process. */
export function createRunFollower({ db, logger }: { db: Database; logger: Logger }): RunFollower {
  const followed = new Map<string, Followed>();
  /** Functions that end the waits in progress, and whether each survives a drain. */
  const waits = new Map<() => void, boolean>();
  /** `draining`: only waits with `survivesDrain` go on; `drained`: no wait does. */
  let phase: 'open' | 'draining' | 'drained' = 'open';
  let graceTimer: NodeJS.Timeout | undefined;
  /** Runs that ended lately, and runs that responded, the oldest first. */
  const ends = new Map<string, FinishedStatus>();
  const responses = new Map<string, true>();
  let due = new Set<string>();
  let isPolling = false;

  /** Polls the runs that are due. One query at a time: notifications that arrive meanwhile share the next one. */
  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    try {
      while (due.size > 0) {
        const ids = [...due].slice(0, MAX_BATCH_SIZE);
        for (const id of ids) due.delete(id);
        reportStates(await readStates(db, ids));
      }
    } catch (err) {
      // The next regular poll makes up for it.
      logger.warn({ err }, 'failed to poll followed runs');
      due = new Set();
    } finally {
      isPolling = false;
    }
  }

  function reportStates(states: ReadonlyMap<string, FollowedState>): void {
    for (const [id, state] of states) {
      const entry = followed.get(id);
      if (!entry || entry.revision === state.revision) continue;
      entry.revision = state.revision;
      for (const listener of entry.listeners) listener(state);
    }
  }

  /** Reports an end without reading the run: it was committed before the notification was sent. */
  function reportEnd(executionId: string, status: FinishedStatus, signedResult?: string): void {
    remember(ends, executionId, status);
    const state = { ...unreadEnd(status), ...(signedResult !== undefined && { signedResult }) };
    for (const listener of followed.get(executionId)?.listeners ?? []) listener(state);
  }

  function pollSoon(ids: Iterable<string>): void {
    for (const id of ids) due.add(id);
    if (due.size > 0) void poll();
  }

  const timers = [
    setInterval(() => {
      pollSoon(followed.keys());
    }, POLL_INTERVAL_MS),
    setInterval(() => {
      pollSoon([...followed].flatMap(([id, { live }]) => (live > 0 ? [id] : [])));
    }, LIVE_POLL_INTERVAL_MS),
  ];

  function follow(
    executionId: string,
    listener: StateListener,
    { isLive = false, isNew = false }: FollowOptions = {},
  ): () => void {
    const entry = followed.get(executionId) ?? { listeners: new Set(), live: 0, revision: -1 };
    followed.set(executionId, entry);
    entry.listeners.add(listener);
    if (isLive) entry.live += 1;
    // A second listener has not seen the present state either.
    entry.revision = -1;
    const end = ends.get(executionId);
    // Only new followers may use a remembered end. If it were wrong, others would read the run and wait in a loop.
    if (isNew && end) {
      queueMicrotask(() => {
        if (entry.listeners.has(listener)) listener(unreadEnd(end));
      });
    } else if (!isNew || responses.has(executionId)) pollSoon([executionId]);
    return () => {
      if (!entry.listeners.delete(listener)) return;
      if (isLive) entry.live -= 1;
      if (entry.listeners.size === 0 && followed.get(executionId) === entry) followed.delete(executionId);
    };
  }

  function subscribe(executionId: string, options?: FollowOptions): RunSubscription {
    let state: SubscriptionState = { kind: 'idle', unseen: undefined };
    let settle = (_isMet: boolean): void => undefined;

    function handle(event: SubscriptionEvent): void {
      const { next, result } = nextSubscription(state, event);
      state = next;
      if (result !== undefined) settle(result);
    }

    return {
      close: follow(executionId, (reported) => handle({ kind: 'reported', state: reported }), options),
      async until(isEnough, { timeoutMs, signal, survivesDrain = false }) {
        if (state.kind === 'waiting') throw new Error('a wait of this subscription is in progress');
        if (signal.aborted || !mayWait(survivesDrain)) return false;
        const settled = Promise.withResolvers<boolean>();
        settle = settled.resolve;
        const endWait = (): void => handle({ kind: 'waitEnded' });
        const timer = setTimeout(endWait, timeoutMs);
        waits.set(endWait, survivesDrain);
        signal.addEventListener('abort', endWait);
        handle({ kind: 'waitBegan', isEnough });
        try {
          return await settled.promise;
        } finally {
          clearTimeout(timer);
          waits.delete(endWait);
          signal.removeEventListener('abort', endWait);
        }
      },
    };
  }

  function mayWait(survivesDrain: boolean): boolean {
    return phase === 'open' || (phase === 'draining' && survivesDrain);
  }

  function enter(next: 'draining' | 'drained'): void {
    phase = next;
    for (const [endWait, survivesDrain] of waits) if (!mayWait(survivesDrain)) endWait();
  }

  return {
    notify(changes) {
      for (const { executionId, ended, signedResult, hasResponse } of changes) {
        if (ended) reportEnd(executionId, ended, signedResult);
        // A run may respond before the caller's request waits for it.
        else if (hasResponse && !followed.has(executionId)) remember(responses, executionId, true);
      }
      pollSoon(changes.flatMap(({ executionId, ended }) => (!ended && followed.has(executionId) ? [executionId] : [])));
    },
    follow,
    subscribe,
    async waitFor(executionId, isEnough, options) {
      const subscription = subscribe(executionId, options);
      try {
        return await subscription.until(isEnough, options);
      } finally {
        subscription.close();
      }
    },
    drain() {
      if (phase !== 'open') return;
      enter('draining');
      graceTimer = setTimeout(() => enter('drained'), DRAIN_GRACE_MS).unref();
    },
    isDraining: () => phase !== 'open',
    size: () => [...followed.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    close() {
      for (const timer of timers) clearInterval(timer);
      clearTimeout(graceTimer);
      enter('drained');
    },
  };
}

/** Adds a run to those that are remembered, and forgets the oldest if they are too many. */
function remember<T>(runs: Map<string, T>, executionId: string, what: T): void {
  const [oldest] = runs.keys();
  if (runs.size >= MAX_REMEMBERED && oldest !== undefined) runs.delete(oldest);
  runs.set(executionId, what);
}

function unreadEnd(status: FinishedStatus): FollowedState {
  return { status, revision: UNREAD_REVISION, hasResponse: false };
}
