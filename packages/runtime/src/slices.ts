/** Duration of a slice in ms, not counting its last step. */
const SLICE_MS = 10;

/** Work that was aborted because it takes too long. */
export class TooMuchWorkError extends Error {
  override readonly name = 'TooMuchWorkError';
}

/**
 * Does work that may take long without blocking the event loop. Short work is done at once. Longer work is done in
 * slices, between which the event loop continues, and alternates with other such work.
 * @param steps each `yield` is a place where the work may be interrupted.
 * @param msMax how long the work may take, in ms.
 * @throws TooMuchWorkError if it takes longer, and the errors of the steps.
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

/** Rounds of the event loop per slice, so that a caller that awaits several things waits for few slices. */
const ROUNDS_A_SLICE = 4;

/** Waiting work, oldest first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/** Waits for a slice of the event loop. One of several rounds has a slice. @throws the signal's reason. */
export async function nextSlice(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    scheduleSlice();
  });
  signal?.throwIfAborted();
}

/** One immediate at a time: Node.js runs all pending ones in one round, and slices would add up. */
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
