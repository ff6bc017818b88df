import { NodeError } from '@deckhand/engine';

/** Types of messages that a server sends in response to the driver's requests (PostgreSQL, 54.7). */
const KNOWN = new Set(Buffer.from('RSKZNETtDC123nsIA'));
/** Messages of COPY, which the driver does not expect here. */
const COPY = new Set(Buffer.from('GHWdc'));
const ROW_DESCRIPTION = 0x54;
const DATA_ROW = 0x44;
/** Type and length of a message, in bytes. */
const HEADER_BYTES = 5;
/** The same with the number of columns, for rows and their descriptions. */
const ROW_HEADER_BYTES = 7;
/** PostgreSQL's own bound (MaxTupleAttributeNumber). */
const MAX_COLUMNS = 1_664;
/** Any message but a row. */
const MAX_MESSAGE_BYTES = 1_048_576;
/** Maximum size of all messages except rows in response to one request, above all notices. */
const MAX_OTHER_BYTES = 4_194_304;
/** Until the first `expect`: enough to log in, with a greeting. */
const MAX_LOGIN_BYTES = 262_144;

/** Checks the messages of a PostgreSQL server before the driver keeps or reads them. */
export interface MessageGuard {
  /** Sets how much the server may send in response to the next request. */
  expect(next: { readonly rows: number; readonly bytes: number }): void;
  /**
   * Checks the next bytes. @throws NodeError POSTGRES_RESPONSE_INVALID for bytes that no server sends, RESULT_TOO_LARGE
   * beyond the expected bytes, POSTGRES_FAILED for COPY.
   */
  check(bytes: Uint8Array): void;
}

/** Creates the guard of one connection. */
export function createMessageGuard(): MessageGuard {
  let rowsLeft = 0;
  let bytesLeft = MAX_LOGIN_BYTES;
  let otherBytesLeft = MAX_LOGIN_BYTES;
  const header = Buffer.alloc(ROW_HEADER_BYTES);
  let headerBytes = 0;
  /** Bytes of the current message that have not arrived yet and are not checked. */
  let skip = 0;

  /** Checks a message by its header. @returns the bytes that follow. */
  function begin(): number {
    const type = header[0] ?? 0;
    const length = header.readUInt32BE(1);
    if (COPY.has(type)) throw new NodeError('POSTGRES_FAILED', 'COPY is not supported', { isRetryable: false });
    if (!KNOWN.has(type)) throw invalid(`a message of type ${type}`);
    if (length < 4) throw invalid(`a message of ${length} bytes`);
    if (type !== DATA_ROW) {
      if (length > MAX_MESSAGE_BYTES) throw invalid(`a message of ${length} bytes`);
      otherBytesLeft -= length;
    }
    if (otherBytesLeft < 0 || length > bytesLeft + ROW_HEADER_BYTES) throw tooLarge();
    if (type !== DATA_ROW && type !== ROW_DESCRIPTION) return length - 4;
    const columns = header.readInt16BE(HEADER_BYTES);
    if (length < 6 || columns < 0 || columns > MAX_COLUMNS) throw invalid(`a row of ${columns} columns`);
    if (type === DATA_ROW) {
      rowsLeft -= 1;
      if (rowsLeft < 0) throw invalid('more rows than were asked for');
    }
    return length - 6;
  }

  return {
    expect({ rows, bytes }) {
      rowsLeft = rows;
      bytesLeft = bytes;
      otherBytesLeft = MAX_OTHER_BYTES;
    },
    check(bytes) {
      bytesLeft -= bytes.length;
      if (bytesLeft < 0) throw tooLarge();
      let at = 0;
      while (at < bytes.length) {
        if (skip > 0) {
          const count = Math.min(skip, bytes.length - at);
          skip -= count;
          at += count;
          continue;
        }
        header[headerBytes] = bytes[at] ?? 0;
        headerBytes += 1;
        at += 1;
        const type = header[0] ?? 0;
        const hasColumns = type === DATA_ROW || type === ROW_DESCRIPTION;
        if (headerBytes < (hasColumns ? ROW_HEADER_BYTES : HEADER_BYTES)) continue;
        headerBytes = 0;
        skip = begin();
      }
    },
  };
}

/** Returns the failure of a query whose server violates the protocol. */
export function invalid(what: string, cause?: unknown): NodeError {
  const message = `the server sent what no PostgreSQL server sends: ${what}`;
  return new NodeError('POSTGRES_RESPONSE_INVALID', message, { isRetryable: false, cause });
}

function tooLarge(): NodeError {
  return new NodeError('RESULT_TOO_LARGE', 'the server sent more than a result may have: ask for less', {
    isRetryable: false,
  });
}
