import type { JsonValue } from '@deckhand/contracts';
import { type BegunWait, begunWait, type NodeRecord, type WaitAnswer, waitKey } from '@deckhand/engine';

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
  /** Keeps the time from passing while something is done in real time. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Lets the time pass, from one thing that is due to the next, until the promise is settled. */
  settle<T>(promise: Promise<T>): Promise<T>;
  /** Whether a wait will end by itself, or gets an answer. */
  hasOpenWait(): boolean;
  /** Lets the time pass until a wait ends, as for a run that rests. @throws Error when none is open. */
  passToNextWait(): void;
}

interface Timer {
  readonly dueAt: number;
  readonly fire: () => void;
}

/** Returns what a wait is answered with, and after how many ms; undefined if only its time ends it. */
type AnswerFor = (wait: BegunWait) => { readonly value: JsonValue; readonly afterMs: number } | undefined;

/** A wait that ends at a time. */
interface OpenWait {
  readonly dueAt: number;
  readonly answer: WaitAnswer;
}

/** Creates a world in which nothing has happened. @param startAt ms since the epoch. */
export function createVirtualWorld(startAt = 1_000, answerFor: AnswerFor = () => undefined): VirtualWorld {
  let time = startAt;
  let timers: Timer[] = [];
  const open = new Map<string, OpenWait>();
  const ended = new Map<string, WaitAnswer>();
  let listener = (): void => undefined;
  let working = 0;
  let onWorkDone = (): void => undefined;

  function nextDue(): number | undefined {
    const due = [...timers, ...open.values()].map(({ dueAt }) => dueAt);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  function passTo(due: number): void {
    time = Math.max(time, due);
    const fired = timers.filter(({ dueAt }) => dueAt <= time);
    timers = timers.filter(({ dueAt }) => dueAt > time);
    const before = ended.size;
    for (const [key, { dueAt, answer }] of open) {
      if (dueAt > time) continue;
      open.delete(key);
      ended.set(key, answer);
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
      if (!begun) return;
      const key = waitKey(begun);
      if (ended.has(key) || open.has(key)) return;
      const { dueAt } = begun.wait;
      const given = answerFor(begun);
      const answeredAt = given ? time + given.afterMs : Infinity;
      if (given && answeredAt <= (dueAt ?? Infinity)) {
        open.set(key, { dueAt: answeredAt, answer: { kind: 'answered', value: given.value } });
      } else if (dueAt !== null) open.set(key, { dueAt, answer: { kind: 'expired' } });
    },
    answer: (key) => ended.get(key),
    onWaitEnded: (given) => (listener = given),
    during(work) {
      working += 1;
      return work.finally(() => {
        working -= 1;
        onWorkDone();
      });
    },
    async settle(promise) {
      const progress = { isSettled: false };
      const settled = (): void => {
        progress.isSettled = true;
      };
      promise.then(settled, settled);
      for (;;) {
        await eventLoopTick();
        if (progress.isSettled) return promise;
        if (working > 0) {
          await new Promise<void>((resolve) => (onWorkDone = resolve));
          continue;
        }
        const due = nextDue();
        if (due === undefined) throw new Error('the run waits for something that never comes');
        passTo(due);
      }
    },
    hasOpenWait: () => open.size > 0,
    passToNextWait() {
      if (open.size === 0) throw new Error('the run rests, and no wait is open');
      passTo(Math.min(...[...open.values()].map(({ dueAt }) => dueAt)));
    },
  };
}

/** Everything that is ready has run by then. */
function eventLoopTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
