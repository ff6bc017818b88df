/** Pause after an attempt to end due waits that failed, in ms. */
const RETRY_MS = 1_000;
/**
 * A timer of Node.js reaches some 24 days: for what is further away the database is asked again after this long, in ms.
 */
const SLEEP_MAX_MS = 86_400_000;

/** Ends the waits of a run on time while the run has other things to do. One at rest is woken by its `wake_at`. */
export interface WaitTimer {
  /** Notes a wait that is due in `ms`, as far as this process knows. It need not be on disk yet. */
  expect(ms: number): void;
  /** Resolves once the timer does nothing any more: nothing is written or read for the run by it afterwards. */
  stop(): Promise<void>;
}

/** What a timer works with. */
export interface WaitTimerOptions {
  /**
   * Ends what is due by the database's clock, once everything recorded is on disk, and hands it to the run.
   * @returns in how many ms the next wait is due; null when none is.
   */
  readonly endDue: () => Promise<number | null>;
  /** Told of an attempt that failed; the next follows after a second. */
  readonly onError: (error: unknown) => void;
}

type State =
  /** No wait is known to become due. */
  | { readonly name: 'idle' }
  /** Sleeps until the earliest wait is due. Times are ms of `performance.now()`, which no change of the clock moves. */
  | { readonly name: 'armed'; readonly at: number; readonly timer: NodeJS.Timeout }
  /** Due waits are being ended. `next` is the earliest that was noted meanwhile. */
  | { readonly name: 'ending'; readonly next: number; readonly ended: Promise<void> }
  | { readonly name: 'stopped' };

/**
 * Creates the timer of one run.
 *
 * 1. The database alone decides whether a wait is due. A timer that is early, or has another clock, asks again when the
 *    database says that the next one is.
 * 2. A wait that is noted while others are being ended is not forgotten: the earliest of all is slept for next.
 */
export function createWaitTimer({ endDue, onError }: WaitTimerOptions): WaitTimer {
  let state: State = { name: 'idle' };

  function arm(at: number): void {
    if (state.name === 'armed') clearTimeout(state.timer);
    if (at === Infinity) {
      state = { name: 'idle' };
      return;
    }
    const ms = Math.min(Math.max(Math.ceil(at - performance.now()), 0), SLEEP_MAX_MS);
    state = { name: 'armed', at, timer: setTimeout(fire, ms) };
  }

  function fire(): void {
    state = { name: 'ending', next: Infinity, ended: end() };
  }

  async function end(): Promise<void> {
    let nextMs: number | null = RETRY_MS;
    try {
      nextMs = await endDue();
    } catch (error) {
      onError(error);
    }
    if (state.name !== 'ending') return;
    arm(Math.min(state.next, nextMs === null ? Infinity : performance.now() + nextMs));
  }

  return {
    expect(ms) {
      const at = performance.now() + ms;
      if (state.name === 'idle' || (state.name === 'armed' && at < state.at)) arm(at);
      else if (state.name === 'ending') state = { ...state, next: Math.min(state.next, at) };
    },
    async stop() {
      const { name } = state;
      const ended = state.name === 'ending' ? state.ended : undefined;
      if (state.name === 'armed') clearTimeout(state.timer);
      if (name !== 'stopped') state = { name: 'stopped' };
      await ended;
    },
  };
}
