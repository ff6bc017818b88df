import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readRows } from '../text/read-csv.ts';
import { runInSlices } from '../work/slices.ts';
import { LongRowError, type RowRange, splitRows } from './split-rows.ts';

const CSV = { delimiter: 0x2c, hasHeader: true, rows: 2, bytes: 1_000_000, maxRowBytes: 1_000_000 };

/** Splits a text whose bytes come in pieces. */
async function split(text: string | Buffer, format = CSV, piece = 7): Promise<RowRange[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
    await Promise.resolve();
  }
  const ranges: RowRange[] = [];
  for await (const range of splitRows(pieces(), format)) ranges.push(range);
  return ranges;
}

async function parse(text: string): Promise<string[][]> {
  return runInSlices(
    () => new AbortController().signal,
    (work) => readRows(text, ',', work),
  );
}

describe('rows of a file', () => {
  it('are divided into ranges of so many rows, after the header', async () => {
    expect(await split('id\n1\n2\n\n3\n')).toEqual([
      { from: 3, until: 7, firstRow: 1, rows: 2, headerBytes: 3 },
      { from: 7, until: 10, firstRow: 3, rows: 1, headerBytes: 3 },
    ]);
    expect(await split('a\nb', { ...CSV, hasHeader: false })).toEqual([
      { from: 0, until: 3, firstRow: 1, rows: 2, headerBytes: 0 },
    ]);
  });

  it('end at a number of bytes, too', async () => {
    const ranges = await split('id\n1111\n22\n33\n', { ...CSV, rows: 100, bytes: 5 });
    expect(ranges.map(({ from, until }) => [from, until])).toEqual([
      [3, 8],
      [8, 14],
    ]);
  });

  it('end within a value that has a quote but does not begin with one', async () => {
    const ranges = await split('size\n5" pipe\n7\n', { ...CSV, rows: 1 });
    expect(ranges.map(({ from, until }) => [from, until])).toEqual([
      [5, 13],
      [13, 15],
    ]);
  });

  it('are not read with others whose length together is too much', async () => {
    const ranges = await split('id\n1\n4567890\n2\n', { ...CSV, rows: 100, bytes: 9, maxRowBytes: 12 });
    expect(ranges.map(({ from, until, firstRow, rows }) => [from, until, firstRow, rows])).toEqual([
      [3, 5, 1, 1],
      [5, 13, 2, 1],
      [13, 15, 3, 1],
    ]);
  });

  it.each(['', '\n\n', 'id', 'id\n\r\n', '\uFEFF"a\nb"\n'])('%j has a header at most', async (text) => {
    expect(await split(text)).toEqual([]);
  });

  it('are not longer than they may be', async () => {
    const text = `id\n1\n"${'x\n'.repeat(100)}`;
    await expect(split(text, { ...CSV, maxRowBytes: 100 })).rejects.toThrow(LongRowError);
    await expect(split(text, { ...CSV, maxRowBytes: 100 })).rejects.toMatchObject({ row: 3 });
  });

  it('are those that the whole file has, wherever its bytes are cut', async () => {
    const value = fc.string({ unit: fc.constantFrom('a', 'ü', ',', '"', '\n', '\r', '😀'), maxLength: 6 });
    const written = value.map((text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
    const row = fc.array(written, { minLength: 1, maxLength: 3 }).map((values) => values.join(','));
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const table = fc.array(fc.tuple(row, lineEnd), { maxLength: 8 }).map((lines) => lines.flat().join(''));
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        async (text, rows, piece) => {
          const ranges = await split(text, { ...CSV, hasHeader: false, rows }, piece);
          const bytes = Buffer.from(text);
          const parts = await Promise.all(ranges.map(({ from, until }) => parse(bytes.toString('utf8', from, until))));
          const all = await parse(text);
          expect(parts.flat()).toEqual(all);
          // The header is the first row of the same text.
          const [header] = await split(text, { ...CSV, rows: 100 }, piece);
          if (header) expect(await parse(bytes.toString('utf8', 0, header.headerBytes))).toEqual(all.slice(0, 1));
        },
      ),
    );
  });
});
