/** Whether this is the full run, which tries more than the gate does, and something else each time. */
const IS_FULL = process.env.TEST_FULL === '1';

/** Number of cases to try, in the gate and in the full run. */
export const runs = (gate: number, full: number): number => (IS_FULL ? full : gate);

/**
 * Returns the seed of everything that tests choose at random: always the same in the gate, another one for each full
 * run. The runner prints it. `FC_SEED` repeats a run; fast-check uses it by itself.
 */
export const randomSeed = (): number => Number(process.env.FC_SEED ?? (IS_FULL ? Date.now() % 2 ** 31 : 1));

/** Random numbers from 0 to 1 that are the same for the same seed (mulberry32); without one, that of the run. */
export function createRandom(seed = randomSeed()): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The values in a random order. */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}
