import { setTimeout as sleep } from 'node:timers/promises';
import type { RunControl, WaitAnswer } from '@deckhand/engine';

/** Why a run in progress halts. */
export type HaltReason = 'fenced' | 'timeout' | 'draining' | 'uncaughtError' | 'memoryExceeded';

/** A run that this worker holds. */
export interface ActiveRun {
  readonly executionId: string;
  readonly epoch: number;
  readonly token: string;
  /** When its time is used up, in ms since the epoch. */
  deadlineAt(): number;
  /** Brings that forward. */
  limitTo(deadlineAt: number): void;
  readonly control: RunControl;
  /** Whether the database says that it is this worker's; not yet while its first checkpoint is to claim it. */
  isClaimed(): boolean;
  /** Notes that it is. */
  setClaimed(): void;
  /** Set once the run was told to halt. */
  haltReason(): HaltReason | undefined;
  /** Interrupts what is in flight; nothing starts after it. */
  halt(reason: HaltReason): void;
  /** Lets nodes in flight finish and starts none, until `resume`. */
  pause(): void;
  resume(): void;
  /** Hands in the ended waits, by wait key, and how many answers they come from. */
  setAnswers(answers: ReadonlyMap<string, WaitAnswer>, seen: number): void;
}

/** The runs that this worker holds, by execution id. */
export interface ActiveRuns {
  readonly size: number;
  /** Sets a place aside for a run that is about to be claimed. @returns false when it has one already. */
  reserve(executionId: string): boolean;
  /** Whether a run is being claimed or held. */
  has(executionId: string): boolean;
  get(executionId: string): ActiveRun | undefined;
  add(run: ActiveRun): void;
  remove(executionId: string): void;
  all(): Iterable<ActiveRun>;
  /** Resolves when fewer than so many runs are claimed or held. */
  fewerThan(count: number): Promise<void>;
  /** Pauses every run, now and from now on: the worker starts no node any more. */
  pauseAll(): void;
  /** Resolves when no run is claimed or held, or after `ms`. */
  emptied(ms: number): Promise<void>;
}

/** Opens the control of a claimed run. */
export function createActiveRun({
  executionId,
  epoch,
  token,
  deadlineAt,
}: {
  executionId: string;
  epoch: number;
  token: string;
  deadlineAt: number;
}): ActiveRun {
  let deadline = deadlineAt;
  let abort: AbortController | undefined;
  const listeners: (() => void)[] = [];
  let isPaused = false;
  let isClaimed = false;
  let reason: HaltReason | undefined;
  let answers: ReadonlyMap<string, WaitAnswer> = new Map();
  let seen = 0;
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    control: {
      isHalted: () => reason !== undefined,
      signal() {
        if (abort) return abort.signal;
        abort = new AbortController();
        if (reason) abort.abort();
        return abort.signal;
      },
      isPaused: () => isPaused,
      answer: (key) => answers.get(key),
      answersSeen: () => seen,
      onChange: (listener) => void listeners.push(listener),
    },
    isClaimed: () => isClaimed,
    setClaimed() {
      isClaimed = true;
    },
    haltReason: () => reason,
    halt(why) {
      if (reason) return;
      reason = why;
      abort?.abort();
      changed();
    },
    pause() {
      isPaused = true;
      changed();
    },
    resume() {
      isPaused = false;
      changed();
    },
    setAnswers(given, count) {
      // Two that read may be overtaken by each other, and a wait that has ended never opens again.
      answers = new Map([...answers, ...given]);
      seen = Math.max(seen, count);
      changed();
    },
    executionId,
    epoch,
    token,
    deadlineAt: () => deadline,
    limitTo(earlier) {
      deadline = Math.min(deadline, earlier);
    },
  };
}

/** Creates an empty set. */
export function createActiveRuns(): ActiveRuns {
  const runs = new Map<string, ActiveRun>();
  /** Runs that are being claimed or held. */
  const places = new Set<string>();
  let waiters: { count: number; resolve: () => void }[] = [];
  let isPaused = false;

  function fewerThan(count: number): Promise<void> {
    if (places.size < count) return Promise.resolve();
    return new Promise((resolve) => waiters.push({ count, resolve }));
  }
  return {
    get size() {
      return places.size;
    },
    reserve(executionId) {
      if (places.has(executionId)) return false;
      places.add(executionId);
      return true;
    },
    has: (executionId) => places.has(executionId),
    get: (executionId) => runs.get(executionId),
    add(run) {
      runs.set(run.executionId, run);
      // One that was being claimed as the worker was told to stop.
      if (isPaused) run.pause();
    },
    remove(executionId) {
      runs.delete(executionId);
      places.delete(executionId);
      if (waiters.length === 0) return;
      const due = waiters.filter(({ count }) => places.size < count);
      waiters = waiters.filter(({ count }) => places.size >= count);
      for (const { resolve } of due) resolve();
    },
    all: () => runs.values(),
    pauseAll() {
      isPaused = true;
      for (const run of runs.values()) run.pause();
    },
    fewerThan,
    async emptied(ms) {
      const patience = new AbortController();
      await Promise.race([fewerThan(1), sleep(ms, undefined, { signal: patience.signal }).catch(() => undefined)]);
      patience.abort();
    },
  };
}
