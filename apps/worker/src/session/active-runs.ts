import { setTimeout as sleep } from 'node:timers/promises';
import type { ActiveRun } from './active-run.ts';

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
