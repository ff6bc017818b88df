/** Does something so many times, one after another. @returns how long each took, in ms. */
export async function timeEach(count: number, act: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const startedAt = performance.now();
    await act();
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** The value below which a share (0 to 1) of the values lie; NaN without any. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** The middle value, or the mean of the two in the middle; NaN without any. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted.length / 2;
  const middle = sorted.slice(Math.ceil(upper) - 1, Math.floor(upper) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}
