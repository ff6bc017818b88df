import type { WaitPlace } from '@deckhand/db';
import { begunWait, type NodeRecord, recordKey, type RunControl, type WaitAnswer } from '@deckhand/engine';
import { setTimeout as sleep } from 'node:timers/promises';

/** Why a run in progress halts. */
export type HaltReason = 'fenced' | 'timeout' | 'draining' | 'uncaughtError' | 'memoryExceeded';

/** A run that this worker holds: what the worker changes while the run loop reads it. */
export class ActiveRun implements RunControl {
  readonly executionId: string;
  readonly epoch: number;
  readonly token: string;
  #deadlineAt: number;
  #isClaimed = false;
  #isPaused = false;
  #haltReason: HaltReason | undefined;
  #abort: AbortController | undefined;
  readonly #answers = new Map<string, WaitAnswer>();
  #answersSeen = 0;
  /** By the key of their node's record. */
  readonly #openWaits = new Map<string, WaitPlace>();
  readonly #listeners: (() => void)[] = [];
  /** Called with the next change only. */
  readonly #once = new Set<() => void>();

  /** @param run with its deadline in ms since the epoch. */
  constructor(run: {
    readonly executionId: string;
    readonly epoch: number;
    readonly token: string;
    readonly deadlineAt: number;
  }) {
    this.executionId = run.executionId;
    this.epoch = run.epoch;
    this.token = run.token;
    this.#deadlineAt = run.deadlineAt;
  }

  isHalted(): boolean {
    return this.#haltReason !== undefined;
  }

  signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal;
    this.#abort = new AbortController();
    if (this.isHalted()) this.#abort.abort();
    return this.#abort.signal;
  }

  isPaused(): boolean {
    return this.#isPaused;
  }

  answer(key: string): WaitAnswer | undefined {
    return this.#answers.get(key);
  }

  answersSeen(): number {
    return this.#answersSeen;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves with the next change, or after so many ms. */
  async nextChange(ms: number): Promise<void> {
    const changed = Promise.withResolvers<undefined>();
    const change = (): void => changed.resolve(undefined);
    const timer = setTimeout(change, ms);
    this.#once.add(change);
    await changed.promise;
    clearTimeout(timer);
    this.#once.delete(change);
  }

  /** Returns the time at which the run times out, in ms since the epoch. */
  deadlineAt(): number {
    return this.#deadlineAt;
  }

  /** Moves the deadline forward; a later one is ignored. */
  limitTo(deadlineAt: number): void {
    this.#deadlineAt = Math.min(this.#deadlineAt, deadlineAt);
  }

  /** Returns true once the run is claimed in the database. A provisional run is claimed by its first checkpoint. */
  isClaimed(): boolean {
    return this.#isClaimed;
  }

  /** Notes that the run is claimed. */
  setClaimed(): void {
    this.#isClaimed = true;
  }

  /** Returns why the run halts; undefined while nothing has halted it. */
  haltReason(): HaltReason | undefined {
    return this.#haltReason;
  }

  /** Interrupts nodes in flight, and starts none any more. Only the first call counts. */
  halt(reason: HaltReason): void {
    if (this.isHalted()) return;
    this.#haltReason = reason;
    this.#abort?.abort();
    this.#changed();
  }

  /** Lets nodes in flight finish and starts none, until `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#changed();
  }

  /** Ends a pause. */
  resume(): void {
    this.#isPaused = false;
    this.#changed();
  }

  /** Keeps account of the waits that are open, from a record of a node. */
  trackWait(record: NodeRecord): void {
    const begun = begunWait(record);
    const key = recordKey(record.nodeId, record.iteration);
    if (begun) this.#openWaits.set(key, { nodeId: begun.nodeId, iteration: begun.iteration });
    else if (this.#openWaits.size > 0) this.#openWaits.delete(key);
  }

  /** Returns the open waits. */
  openWaits(): WaitPlace[] {
    return [...this.#openWaits.values()];
  }

  /** Adds ended waits, by wait key. @param seen how many answers of the run had been given when they were read. */
  setAnswers(answers: ReadonlyMap<string, WaitAnswer>, seen: number): void {
    // Concurrent reads may arrive out of order. Merging them is safe: a wait that has ended stays ended.
    for (const [key, answer] of answers) this.#answers.set(key, answer);
    this.#answersSeen = Math.max(this.#answersSeen, seen);
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners, ...this.#once]) listener();
  }
}

/** The runs that this worker holds, by execution id. */
export interface ActiveRuns {
  readonly size: number;
  /**
   * Reserves a place for a dispatch of a run that is about to be claimed. While an earlier dispatch has the place, it
   * waits until that leaves it: a run may be dispatched again before the worker that let it rest has put it away.
   * @returns false when the same dispatch or a later one has the place, or waits for it.
   */
  reserve(executionId: string, dispatch: number): Promise<boolean> | boolean;
  /** Returns true for a run that is being claimed or held. */
  has(executionId: string): boolean;
  get(executionId: string): ActiveRun | undefined;
  add(run: ActiveRun): void;
  remove(executionId: string): void;
  all(): Iterable<ActiveRun>;
  /** Resolves when fewer than `count` runs are being claimed or held. */
  fewerThan(count: number): Promise<void>;
  /** Pauses every run, and each that is added later: the worker starts no more nodes. */
  pauseAll(): void;
  /** Resolves when no run is being claimed or held, at the latest after `ms`. */
  emptied(ms: number): Promise<void>;
}

/** The place of a run: the dispatch that has it, and a later one that waits for it. */
interface Place {
  readonly dispatch: number;
  next: { readonly dispatch: number; readonly decide: (hasPlace: boolean) => void } | undefined;
}

/** Creates an empty set. */
export function createActiveRuns({ onEmpty }: { readonly onEmpty?: (() => void) | undefined } = {}): ActiveRuns {
  const runs = new Map<string, ActiveRun>();
  /** Places of runs that are being claimed or held, by execution id. */
  const places = new Map<string, Place>();
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
    reserve(executionId, dispatch) {
      const place = places.get(executionId);
      if (!place) {
        places.set(executionId, { dispatch, next: undefined });
        return true;
      }
      if (dispatch <= (place.next ?? place).dispatch) return false;
      place.next?.decide(false);
      // A run is dispatched again only when no worker holds it any more: what an earlier dispatch still does is lost.
      runs.get(executionId)?.halt('fenced');
      return new Promise((decide) => (place.next = { dispatch, decide }));
    },
    has: (executionId) => places.has(executionId),
    get: (executionId) => runs.get(executionId),
    add(run) {
      runs.set(run.executionId, run);
      // The run was being claimed when the worker began to drain.
      if (isPaused) run.pause();
    },
    remove(executionId) {
      runs.delete(executionId);
      const next = places.get(executionId)?.next;
      if (next) {
        // The place passes on without being free in between, so that no other run gets it beyond the limit.
        places.set(executionId, { dispatch: next.dispatch, next: undefined });
        next.decide(true);
        return;
      }
      places.delete(executionId);
      // Later, when nothing refers to the run's data any more.
      if (places.size === 0 && onEmpty) setImmediate(onEmpty);
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
      const timeout = new AbortController();
      await Promise.race([fewerThan(1), sleep(ms, undefined, { signal: timeout.signal }).catch(() => undefined)]);
      timeout.abort();
    },
  };
}
