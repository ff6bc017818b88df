/** Delay before the next attempt when ending due waits failed, in ms. */
const RETRY_MS = 1_000;
/** Longest sleep, in ms. Timers of Node.js reach some 24 days only; the database says how much is left after a day. */
const MAX_SLEEP_MS = 86_400_000;

/** Ends the waits of a run on time while the run is held by a worker. A resting run is woken by its `wake_at`. */
export interface WaitTimer {
  /** Notes a wait that is due in `ms` by this process's clock. The wait need not be on disk yet. */
  expect(ms: number): void;
  /** Stops the timer. Once this resolves, the timer reads and writes nothing for the run. */
  stop(): Promise<void>;
}

/** The services that a timer needs. */
export interface WaitTimerOptions {
  /**
   * Waits until all records are on disk, ends the waits that are due by the database's clock, and hands them to the
   * run.
   * @returns in how many ms the next wait is due; null when there is none.
   */
  readonly endDue: () => Promise<number | null>;
  /** Called when an attempt failed; the next follows after a second. */
  readonly onError: (error: unknown) => void;
}

type State =
  /** No wait with a due time is known. */
  | { readonly name: 'idle' }
  /** Sleeps until the earliest wait is due. Times are those of `performance.now()`, which clock changes do not move. */
  | { readonly name: 'armed'; readonly at: number; readonly timer: NodeJS.Timeout }
  /** Due waits are being ended. `next`: due time of the earliest wait that was noted meanwhile. */
  | { readonly name: 'ending'; readonly next: number; readonly ended: Promise<void> }
  | { readonly name: 'stopped' };

const STOPPED: State = { name: 'stopped' };
const NOTHING = Promise.resolve();

/**
 * Creates the timer of one run.
 *
 * 1. The database alone decides whether a wait is due. A timer that fires too early sleeps for as long as the database
 *    says.
 * 2. A wait that is noted while others are being ended is not lost: the timer then sleeps until the earliest of all.
 */
export function createWaitTimer({ endDue, onError }: WaitTimerOptions): WaitTimer {
  let state: State = { name: 'idle' };

  function arm(at: number): void {
    if (state.name === 'armed') clearTimeout(state.timer);
    if (at === Infinity) {
      state = { name: 'idle' };
      return;
    }
    const ms = Math.min(Math.max(Math.ceil(at - performance.now()), 0), MAX_SLEEP_MS);
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
    stop() {
      const ended = state.name === 'ending' ? state.ended : NOTHING;
      if (state.name === 'armed') clearTimeout(state.timer);
      state = STOPPED;
      return ended;
    },
  };
}
