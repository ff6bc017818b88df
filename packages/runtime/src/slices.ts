/** How long one slice takes, in ms, but for its last step. */
const SLICE_MS = 10;

/** Work that was given up since it takes too much. */
export class TooMuchWorkError extends Error {
  override readonly name = 'TooMuchWorkError';
}

/**
 * Does work that may be long without holding up the event loop: small work at once, the rest in slices, between which
 * everything else goes on. Slices of all that is under way take turns.
 * @param steps each `yield` is a place where other work may go first.
 * @param msMax how much work it may be, in ms.
 * @throws TooMuchWorkError when it is more, and what the steps throw.
 */
export async function runInTimeSlices<T>(steps: Generator<undefined, T>, msMax = Infinity): Promise<T> {
  let worked = 0;
  for (;;) {
    const begunAt = performance.now();
    let spent = 0;
    for (; spent < SLICE_MS; spent = performance.now() - begunAt) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
    worked += spent;
    if (worked >= msMax) throw new TooMuchWorkError(`the work takes more than ${msMax} ms`);
    await nextSlice();
  }
}

/** Rounds of the event loop for each slice: who waits for several things in a row waits for fewer slices. */
const ROUNDS_A_SLICE = 4;

/** What waits for a slice, oldest first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/** Waits for a slice of the event loop: one in a few of its rounds, whoever asks. @throws the signal's reason. */
export async function nextSlice(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    scheduleSlice();
  });
  signal?.throwIfAborted();
}

/** Node.js runs all immediates that are there in one round, so there is one at a time: slices would add up. */
function scheduleSlice(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  let rounds = ROUNDS_A_SLICE;
  setImmediate(function goRound() {
    rounds -= 1;
    if (rounds > 0) {
      setImmediate(goRound);
      return;
    }
    isScheduled = false;
    waiting.shift()?.();
    scheduleSlice();
  });
}
