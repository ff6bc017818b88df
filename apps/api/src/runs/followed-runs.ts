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

/** The runs that a process follows. One query polls all of them. */
export interface FollowedRuns {
  /** Takes notifications of changed runs. They may get lost, come twice, or be about runs that nobody follows. */
  notify(changes: readonly RunChange[]): void;
  /** Starts to follow a run. @returns a function that ends it. */
  readonly follow: (executionId: string, listener: StateListener, options?: FollowOptions) => () => void;
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

interface Followed {
  readonly listeners: Set<StateListener>;
  live: number;
  revision: number;
}

/** Creates what polls the followed runs of a process, and takes the notifications of all runs. */
export function createFollowedRuns(db: Database, logger: Logger): FollowedRuns {
  const followed = new Map<string, Followed>();
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
    size: () => [...followed.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    close() {
      for (const timer of timers) clearInterval(timer);
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
