import type { FinishedStatus } from '@deckhand/contracts';
import { type Database, type ExecutionState, readStates } from '@deckhand/db';
import type { RunChange } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';

/** Told of a state of a run that it has not seen: at first of the present one. */
export type StateListener = (state: ExecutionState) => void;

/** How a run is followed. */
export interface FollowOptions {
  /** Looks for changes that no hint tells, such as node by node, more often. */
  readonly isLive?: boolean;
  /**
   * Nothing can have happened that the follower has to be told: it was queued by this process a moment ago, or is read
   * after the following began. Its end is heard of, or comes with the regular looks; the present state is not told.
   */
  readonly isNew?: boolean;
}

/** Whether a run's state is what somebody waits for. */
export type IsEnough = (state: ExecutionState) => boolean;

/** How long somebody waits. `survivesDrain` waits for some seconds more where the process is about to stop. */
export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly survivesDrain?: boolean;
}

/** A run that is watched until `close`: nothing that comes between two waits gets lost. */
export interface RunWatch {
  /** Waits as `waitFor` does, for a state that no earlier wait has ended with. One wait at a time. */
  until(isEnough: IsEnough, options: WaitOptions): Promise<boolean>;
  close(): void;
}

/** Watches runs for those who wait for them, as many as there may be, with one look at the database for all. */
export interface RunFollower {
  /** Hints say which runs changed; they may get lost, come twice, or be about runs that nobody follows. */
  hint(changes: readonly RunChange[]): void;
  /** Begins to follow a run. @returns ends it. */
  follow(executionId: string, listener: StateListener, options?: FollowOptions): () => void;
  /** Begins to watch a run. */
  watch(executionId: string, options?: FollowOptions): RunWatch;
  /**
   * Resolves with true once the run's state is enough; with false when the time (ms) is up, the signal aborts, or the
   * process is about to stop. `survivesDrain` waits for some seconds more in that case, for an answer that only this
   * request can get.
   */
  waitFor(executionId: string, isEnough: IsEnough, options: FollowOptions & WaitOptions): Promise<boolean>;
  /** Ends every wait, now and from now on, and those of the patient soon: the process is about to stop. */
  drain(): void;
  isDraining(): boolean;
  /** Listeners at present. */
  size(): number;
  close(): void;
}

/** How often every followed run is looked at, in ms: what a lost hint costs at most. */
const LOOK_MS = 2_000;
/** How often runs are looked at that somebody watches live, in ms. */
const LIVE_LOOK_MS = 400;
/** Runs of one statement. */
const BATCH = 5_000;
/** Ends that are remembered: those of runs which somebody begins to follow as they end. */
const ENDS_MAX = 10_000;
/** Told with an end that was heard of, not read: no run has this revision. */
const UNREAD_REVISION = Infinity;
/** How long the patient go on waiting once the process is about to stop, in ms: less than requests under way get. */
const PATIENCE_MS = 7_000;

interface Followed {
  readonly listeners: Set<StateListener>;
  live: number;
  revision: number;
}

/** Creates the follower of a process. */
export function createRunFollower({ db, logger }: { db: Database; logger: Logger }): RunFollower {
  const followed = new Map<string, Followed>();
  /** Ends a wait before it is met. */
  const waits = new Set<() => void>();
  const patientWaits = new Set<() => void>();
  let isDraining = false;
  let isPatienceOver = false;
  let patience: NodeJS.Timeout | undefined;
  const ends = new Map<string, FinishedStatus>();
  let due = new Set<string>();
  let isLooking = false;

  /** One look at a time: hints that come meanwhile share the next. */
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      while (due.size > 0) {
        const ids = [...due].slice(0, BATCH);
        for (const id of ids) due.delete(id);
        tell(await readStates(db, ids));
      }
    } catch (err) {
      // The next regular look makes up for it.
      logger.warn({ err }, 'followed runs could not be looked at');
      due = new Set();
    } finally {
      isLooking = false;
    }
  }

  function tell(states: ReadonlyMap<string, ExecutionState>): void {
    for (const [id, state] of states) {
      const entry = followed.get(id);
      if (!entry || entry.revision === state.revision) continue;
      entry.revision = state.revision;
      for (const listener of entry.listeners) listener(state);
    }
  }

  /** Whoever waits for an end needs no look at the run: it was on disk before anybody was told. */
  function tellEnd(executionId: string, status: FinishedStatus): void {
    const [oldest] = ends.keys();
    if (ends.size >= ENDS_MAX && oldest !== undefined) ends.delete(oldest);
    ends.set(executionId, status);
    for (const listener of followed.get(executionId)?.listeners ?? []) listener({ status, revision: UNREAD_REVISION });
  }

  function lookAt(ids: Iterable<string>): void {
    for (const id of ids) due.add(id);
    if (due.size > 0) void look();
  }

  const timers = [
    setInterval(() => {
      lookAt(followed.keys());
    }, LOOK_MS),
    setInterval(() => {
      lookAt([...followed].flatMap(([id, { live }]) => (live > 0 ? [id] : [])));
    }, LIVE_LOOK_MS),
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
    // Whoever comes second has seen nothing yet either.
    entry.revision = -1;
    // Others look: should what was told ever be wrong, they would ask again and again.
    const ended = isNew ? ends.get(executionId) : undefined;
    if (ended) {
      queueMicrotask(() => {
        if (entry.listeners.has(listener)) listener({ status: ended, revision: UNREAD_REVISION });
      });
    } else if (!isNew) lookAt([executionId]);
    return () => {
      if (!entry.listeners.delete(listener)) return;
      if (isLive) entry.live -= 1;
      if (entry.listeners.size === 0 && followed.get(executionId) === entry) followed.delete(executionId);
    };
  }

  function watch(executionId: string, options?: FollowOptions): RunWatch {
    let latest: ExecutionState | undefined;
    let look = (): void => undefined;
    const close = follow(
      executionId,
      (state) => {
        latest = state;
        look();
      },
      options,
    );
    return {
      close,
      until(isEnough, { timeoutMs, signal, survivesDrain = false }) {
        const held = survivesDrain ? patientWaits : waits;
        return new Promise((resolve) => {
          const giveUp = (): void => {
            end(false);
          };
          const timer = setTimeout(giveUp, timeoutMs);
          function end(isMet: boolean): void {
            clearTimeout(timer);
            look = () => undefined;
            // Should what was told not be so, whoever reads the run would else be told of it again and again.
            if (isMet) latest = undefined;
            held.delete(giveUp);
            signal.removeEventListener('abort', giveUp);
            resolve(isMet);
          }
          held.add(giveUp);
          signal.addEventListener('abort', giveUp);
          look = () => {
            if (latest && isEnough(latest)) end(true);
          };
          if (signal.aborted || (survivesDrain ? isPatienceOver : isDraining)) giveUp();
          else look();
        });
      },
    };
  }

  function drain(): void {
    isDraining = true;
    for (const giveUp of waits) giveUp();
    patience ??= setTimeout(endPatience, PATIENCE_MS).unref();
  }

  function endPatience(): void {
    isPatienceOver = true;
    for (const giveUp of patientWaits) giveUp();
  }

  return {
    hint(changes) {
      for (const { executionId, ended } of changes) if (ended) tellEnd(executionId, ended);
      lookAt(changes.flatMap(({ executionId, ended }) => (!ended && followed.has(executionId) ? [executionId] : [])));
    },
    follow,
    watch,
    async waitFor(executionId, isEnough, options) {
      const watched = watch(executionId, options);
      try {
        return await watched.until(isEnough, options);
      } finally {
        watched.close();
      }
    },
    drain,
    isDraining: () => isDraining,
    size: () => [...followed.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    close() {
      for (const timer of timers) clearInterval(timer);
      drain();
      clearTimeout(patience);
      endPatience();
    },
  };
}
