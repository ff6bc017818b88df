import { expect, it } from '@jest/globals';
import { repositoryFile } from './deployment/repository-file.ts';

/**
 * How much later than promised something may happen beside other tests, which take the cores and the disk too, in ms.
 * There is no other such number. A test of a promise that is exceeded by more is repeated once (`timed`).
 */
export const PATIENCE_MS = 5_000;

/** The page that says within which time the product notices a failure. */
const PAGE = 'docs/failure-modes.md';

/** A promised duration. */
export interface Promised {
  /** What happens within it, for messages. */
  readonly what: string;
  readonly ms: number;
}

/** A row of the table of failures. */
export interface FailureMode {
  readonly failure: string;
  /** The text of its column "within". */
  readonly within: string;
  /** The text of its column "tests". */
  readonly tests: string;
}

/** Reads the table of failures. */
export function readFailureModes(): FailureMode[] {
  const rows = repositoryFile(PAGE).matchAll(/^\| (.+) \|$/gm);
  return [...rows].flatMap(([, row = '']) => {
    const cells = row.split(' | ');
    const [failure = '', , within = '', , , tests = ''] = cells;
    return cells.length === 6 && failure !== 'failure' ? [{ failure, within, tests }] : [];
  });
}

/**
 * Returns the duration that the table of failures promises.
 * @param failure how its row begins.
 * @param part of the column "within", where that names several durations: `15 s (PostgreSQL)`.
 */
export function promised(failure: string, part?: string): Promised {
  const rows = readFailureModes().filter((row) => row.failure.startsWith(failure));
  const [row] = rows;
  if (rows.length !== 1 || !row) throw new Error(`${rows.length} rows of ${PAGE} begin with "${failure}"`);
  if (part !== undefined && !row.within.includes(part)) throw new Error(`${PAGE}: "${row.within}" has no "${part}"`);
  const ms = durationOf(part ?? row.within);
  if (ms === undefined) throw new Error(`${PAGE}: "${part ?? row.within}" is not one duration`);
  return { what: row.failure, ms };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

/** Returns the upper limit of a duration such as `at once`, `about 3 s` or `2.5 to 4 s (Redis)`, in ms. */
export function durationOf(text: string): number | undefined {
  if (text === 'at once') return 0;
  const [, amount, unit = ''] =
    /^(?:(?:about|up to|at most|after) )?(?:[\d.]+ (?:m?s )?to )?([\d.]+) (ms|s|min|h)(?: .*)?$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNITS[unit] ?? NaN);
}

/** Something took longer than promised, and than a busy machine explains. */
class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

/**
 * Holds the product to a promised duration, measured by its own times (`createdAt`, `finishedAt`) or by a steady clock.
 * Call it when nothing of the scenario is left, because the scenario may be repeated.
 * @throws if it took longer, by more than `PATIENCE_MS`.
 */
export function expectWithin({ what, ms }: Promised, tookMs: number): void {
  const line = `${what}: ${Math.round(tookMs)} ms, ${ms} promised`;
  process.stdout.write(`${line}\n`);
  if (tookMs > ms + PATIENCE_MS) throw new TooLateError(`${line} and ${PATIENCE_MS} of patience`);
  expect(tookMs).toBeLessThanOrEqual(ms + PATIENCE_MS);
}

/**
 * Makes a test of a scenario that holds promised durations with `expectWithin`. If something was too late, the whole
 * scenario is repeated once, and fails if it is too late again.
 */
export function timed<Args extends unknown[]>(
  scenario: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await scenario(...args);
    } catch (error) {
      if (!(error instanceof TooLateError)) throw error;
      process.stdout.write(`${error.message}: once more\n`);
      await scenario(...args);
    }
  };
}

/** A test (`it`) of a scenario that holds promised durations: see `timed`. */
export function itInTime(title: string, scenario: () => Promise<void>): void {
  it(title, timed(scenario));
}
