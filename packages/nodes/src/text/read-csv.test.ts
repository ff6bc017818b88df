import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { runInSlices } from '../work/slices.ts';
import { readRows } from './read-csv.ts';

/** The rows, or that there are none. */
const attempt = (read: () => unknown): unknown => {
  try {
    return read();
  } catch {
    return 'refused';
  }
};

it('reads comma-separated values as csv-parse does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', ';', '"', '\n', '\r', '\r\n', ' ', '\uFEFF') });
  fc.assert(
    fc.property(text, fc.constantFrom(',', ';', ';;', ' '), (given, delimiter) => {
      const own = attempt(() =>
        runInSlices(
          () => new AbortController().signal,
          (work) => readRows(given, delimiter, work),
        ),
      );
      // csv-parse takes the first that fits.
      const record_delimiter = ['\r\n', '\n', '\r'];
      const options = { delimiter, record_delimiter, bom: true, relax_column_count: true, skip_empty_lines: true };
      expect(own).toEqual(attempt(() => parse(given, options)));
    }),
    { numRuns: 1_000 },
  );
});

describe('a hundred thousand lines', () => {
  it('are read in slices', async () => {
    const rows = runInSlices(
      () => new AbortController().signal,
      (work) => readRows('a,b\n'.repeat(100_000), ',', work),
    );
    expect(rows).toBeInstanceOf(Promise);
    expect(await rows).toHaveLength(100_000);
  });
});
