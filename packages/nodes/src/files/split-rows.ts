/** How rows are found in bytes. */
export interface RowFormat {
  /** The byte between values, after which a quote begins a quoted one; undefined if quotes mean nothing. */
  readonly delimiter: number | undefined;
  readonly hasHeader: boolean;
  /** A batch ends after so many rows that are not empty, or so many bytes. */
  readonly rows: number;
  readonly bytes: number;
  /** A row of more bytes ends the search. A batch with its header has more only if it is one row. */
  readonly maxRowBytes: number;
}

/** A range of complete rows of a file. */
export interface RowRange {
  /** The offset of its first byte, and that after its last one. */
  readonly from: number;
  readonly until: number;
  /** The number of its first row, from 1; the header and empty rows are not counted. */
  readonly firstRow: number;
  readonly rows: number;
  readonly headerBytes: number;
}

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x0a, 0x0d];
/** The byte order mark of UTF-8, which is not a part of the first value. */
const MARK = [0xef, 0xbb, 0xbf];

/** A row is longer than it may be: most likely, a quote is not closed. */
export class LongRowError extends Error {
  /** The row, from 1; the header counts. */
  readonly row: number;

  constructor(row: number) {
    super(`row ${row} is too long`);
    this.row = row;
  }
}

/**
 * Divides the bytes of a table into ranges of rows. CRLF, LF and CR end a row outside of quotes, as in `readRows`. In
 * the charset of the bytes, the bytes of line ends, quotes and the delimiter must not occur within other characters.
 * @throws LongRowError.
 */
export async function* splitRows(
  content: AsyncIterable<Uint8Array>,
  { delimiter, hasHeader, rows, bytes, maxRowBytes }: RowFormat,
): AsyncGenerator<RowRange, void, undefined> {
  let at = 0;
  let from = 0;
  let rowFrom = 0;
  let rowCount = 0;
  let allRows = 0;
  let headerBytes = 0;
  let needsHeader = hasHeader;
  /** In a quoted value; a quote in it may end it, or be the first of two. */
  let isQuoted = false;
  let isValueNext = true;
  let isEmpty = true;
  let isAfterReturn = false;
  const ranges: RowRange[] = [];

  const endBatch = (until: number): void => {
    if (rowCount > 0) ranges.push({ from, until, firstRow: allRows - rowCount + 1, rows: rowCount, headerBytes });
    from = until;
    rowCount = 0;
  };
  const endRow = (until: number): void => {
    if (!isEmpty && needsHeader) {
      needsHeader = false;
      headerBytes = until;
      from = until;
    } else if (!isEmpty) {
      if (rowCount > 0 && headerBytes + until - from > maxRowBytes) endBatch(rowFrom);
      rowCount += 1;
      allRows += 1;
    }
    rowFrom = until;
    isEmpty = true;
    isValueNext = true;
    if (rowCount >= rows || until - from >= bytes) endBatch(until);
  };

  for await (const chunk of content) {
    for (let index = 0; index < chunk.length; index += 1) {
      if (isQuoted) {
        // What is within quotes is skipped at once.
        const end = chunk.indexOf(QUOTE, index);
        at += (end === -1 ? chunk.length : end) - index;
        if (end === -1) break;
        index = end;
      }
      const byte = chunk[index];
      at += 1;
      if (at <= MARK.length && byte === MARK[at - 1]) continue;
      if (isQuoted) {
        isQuoted = false;
        continue;
      }
      if (byte === LINE_FEED && isAfterReturn) {
        // The second half of CRLF belongs to the row that the first half has ended.
        isAfterReturn = false;
        endRow(at);
        continue;
      }
      if (isAfterReturn) {
        isAfterReturn = false;
        endRow(at - 1);
      }
      if (byte === LINE_FEED) {
        endRow(at);
      } else if (byte === CARRIAGE_RETURN) {
        isAfterReturn = true;
      } else {
        // Two quotes within a quoted value end it and begin it again.
        isQuoted = byte === QUOTE && delimiter !== undefined && isValueNext;
        isValueNext = byte === delimiter || byte === QUOTE;
        isEmpty = false;
      }
    }
    if (at - rowFrom > maxRowBytes) throw new LongRowError(allRows + (hasHeader && !needsHeader ? 1 : 0) + 1);
    yield* ranges.splice(0);
  }
  if (at > rowFrom) endRow(at);
  endBatch(at);
  yield* ranges;
}
