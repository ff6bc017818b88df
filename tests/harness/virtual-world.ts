import { begunWait, type NodeRecord, type WaitAnswer, waitKey } from '@deckhand/engine';

/** The time, and the waits on disk, of runs in memory. Outlives the workers that run them. */
export interface VirtualWorld {
  /** ms since the epoch. Stands still but for `settle` and `passToNextWait`. */
  now(): number;
  /** Resolves after `ms`; rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Keeps the wait that begins with a record, as its checkpoint does. */
  keepWait(record: NodeRecord): void;
  /** The answer to a wait; undefined while it is open. */
  answer(key: string): WaitAnswer | undefined;
  /** Calls the listener whenever a wait ends, until the next one takes its place. */
  onWaitEnded(listener: () => void): void;
  /** Lets the time pass, from one thing that is due to the next, until the promise is settled. */
  settle<T>(promise: Promise<T>): Promise<T>;
  /** Lets the time pass until a wait ends, as for a run that rests. @throws Error when none is open. */
  passToNextWait(): void;
}

interface Timer {
  readonly dueAt: number;
  readonly fire: () => void;
}

/** Creates a world in which nothing has happened. */
export function createVirtualWorld(): VirtualWorld {
  let time = 1_000;
  let timers: Timer[] = [];
  const open = new Map<string, number>();
  const ended = new Set<string>();
  let listener = (): void => undefined;

  function nextDue(): number | undefined {
    const due = [...timers.map(({ dueAt }) => dueAt), ...open.values()];
    return due.length === 0 ? undefined : Math.min(...due);
  }

  function passTo(due: number): void {
    time = Math.max(time, due);
    const fired = timers.filter(({ dueAt }) => dueAt <= time);
    timers = timers.filter(({ dueAt }) => dueAt > time);
    const before = ended.size;
    for (const [key, dueAt] of open) {
      if (dueAt > time) continue;
      open.delete(key);
      ended.add(key);
    }
    if (ended.size > before) listener();
    for (const { fire } of fired) fire();
  }

  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer: Timer = { dueAt: time + ms, fire: resolve };
        const give = (): void => {
          timers = timers.filter((other) => other !== timer);
          reject(new Error('aborted'));
        };
        if (signal?.aborted) {
          give();
          return;
        }
        timers.push(timer);
        signal?.addEventListener('abort', give, { once: true });
      }),
    keepWait(record) {
      const begun = begunWait(record);
      if (typeof begun?.wait.dueAt !== 'number') return;
      const key = waitKey(begun);
      if (!ended.has(key)) open.set(key, begun.wait.dueAt);
    },
    answer: (key) => (ended.has(key) ? { kind: 'expired' } : undefined),
    onWaitEnded: (given) => (listener = given),
    async settle(promise) {
      const progress = { isSettled: false };
      const settled = (): void => {
        progress.isSettled = true;
      };
      promise.then(settled, settled);
      for (;;) {
        await eventLoopTick();
        if (progress.isSettled) return promise;
        const due = nextDue();
        if (due === undefined) throw new Error('the run waits for something that never comes');
        passTo(due);
      }
    },
    passToNextWait() {
      if (open.size === 0) throw new Error('the run rests, and no wait is open');
      passTo(Math.min(...open.values()));
    },
  };
}

/** Everything that is ready has run by then. */
function eventLoopTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
