import { stringify } from 'csv-stringify/sync';
import { pipeline } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import { FileFailure, parseOwn } from './file-job.ts';

/** A value of a cell. Dates are ISO 8601 without a time zone, which workbooks do not have. */
export type Cell = string | number | boolean | null;

/** Maximum length of rows that are returned, in characters of JSON. */
const MAX_ROWS = 16_777_216;
/** Maximum length of a text in a cell, in characters: that of Excel. */
const MAX_CELL = 32_767;
/** How many rows are written as CSV at once. */
const ROWS_PER_BATCH = 1_000;
/** The number of a sheet, as a text. */
const NUMBER = /^[1-9]\d{0,3}$/;
const MIDNIGHT = 'T00:00:00.000Z';

/** Reads one sheet of a workbook: returns its rows, or writes them as CSV. Runs in a process of its own. */
export async function readSheet(
  bytes: Uint8Array<ArrayBuffer>,
  { sheet, to }: { sheet: string | number; to: 'rows' | 'csv' },
  output: Writable,
): Promise<{ rows: Cell[][] } | { rowCount: number }> {
  // The variant that starts no threads.
  const { readSheet: read } = await import('read-excel-file/universal');
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const table = await read(buffer, sheet).catch((error: unknown) => {
    const isMissing = error instanceof Error && error.message.startsWith('Sheet not found');
    if (!isMissing || typeof sheet === 'number' || !NUMBER.test(sheet)) throw error;
    return read(buffer, Number(sheet));
  });
  if (to === 'csv') {
    await pipeline(csvOf(table), output, { end: false });
    return { rowCount: table.length };
  }
  let length = 0;
  const rows = table.map((row) => {
    const cells = row.map(toCell);
    for (const cell of cells) length += typeof cell === 'string' ? cell.length + 3 : 5;
    if (length > MAX_ROWS) throw new FileFailure('RESULT_TOO_LARGE', `the rows have more than ${MAX_ROWS} characters`);
    return cells;
  });
  return { rows };
}

function* csvOf(table: readonly (readonly unknown[])[]): Generator<string> {
  for (let at = 0; at < table.length; at += ROWS_PER_BATCH) {
    const batch = table.slice(at, at + ROWS_PER_BATCH).map((row) => row.map((value) => String(toCell(value) ?? '')));
    yield stringify(batch, { quoted_empty: batch.some((row) => row.length === 1 && row[0] === '') });
  }
}

function toCell(value: unknown): Cell {
  if (value instanceof Date) {
    const text = value.toISOString();
    return text.endsWith(MIDNIGHT) ? text.slice(0, -MIDNIGHT.length) : text.replace(/(?:\.000)?Z$/, '');
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Writes a workbook of one sheet. @param bytes its rows as JSON. Texts are texts and never formulas. */
export async function writeSheet(
  bytes: Uint8Array,
  { sheet }: { sheet: string },
  output: Writable,
): Promise<{ rowCount: number }> {
  const { default: write } = await import('write-excel-file/universal');
  const rows = parseOwn<Cell[][]>(new TextDecoder().decode(bytes));
  for (const row of rows) {
    if (row.some((cell) => typeof cell === 'string' && cell.length > MAX_CELL))
      throw new FileFailure('RESULT_TOO_LARGE', `a cell has more than ${MAX_CELL} characters`);
  }
  const blob = await write(rows, { sheet }).toBlob();
  await pipeline(blob.stream(), output, { end: false });
  return { rowCount: rows.length };
}
