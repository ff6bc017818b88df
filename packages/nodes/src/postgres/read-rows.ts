import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { NodeError, type PostgresQuery, type PostgresResult } from '@deckhand/engine';
import { setImmediate as nextRound } from 'node:timers/promises';
import { types } from 'node:util';
import type { FieldDef } from 'pg';
import Cursor from 'pg-cursor';
import type { GuardedClient } from './guarded-client.ts';
import { toParameters } from './to-parameters.ts';
import { readTypes } from './type-catalogue.ts';
import { type ArrayType, BYTEA, isOwnType, jsonTypes, listOf, looksLikeArray } from './value-types.ts';

/** Number of rows that are read at a time. */
const BATCH_ROWS = 500;
/** A longer result fails the query, in bytes of JSON. */
const MAX_RESULT_BYTES = 10_485_760;
/** Maximum size of a batch that a server may send, in bytes: bytes in hexadecimal take more than in base64. */
export const MAX_BATCH_BYTES = 2 * MAX_RESULT_BYTES + 1_048_576;
/** Bytes of rows that are counted before other work runs. */
const BYTES_PER_ROUND = 1_048_576;

/** A query that says how many bytes its rows take. */
export type HeldQuery = PostgresQuery & { readonly hold: (bytes: number) => void };

/**
 * Runs a statement and reads its rows.
 * @throws NodeError RESULT_TOO_LARGE; errors of the driver.
 */
export async function readResult(client: GuardedClient, query: HeldQuery): Promise<PostgresResult> {
  const { rows, columns, rowCount } = await readRows(client, query);
  const own = columns.filter(({ dataTypeID, name }) => {
    const first = rows.find((row) => row[name] !== null);
    return isOwnType(dataTypeID) && looksLikeArray(first?.[name]);
  });
  if (own.length === 0) return { rows, rowCount };
  const oids = own.map(({ dataTypeID }) => dataTypeID);
  const catalogue = await readTypes(client, oids);
  const arrays = own.flatMap(({ name, dataTypeID }) => {
    const type = catalogue.array(dataTypeID);
    return type ? [{ name, type }] : [];
  });
  const count = createCounter(query);
  const converted: JsonObject[] = [];
  for (const row of rows) {
    const read = withLists(row, arrays);
    converted.push(read);
    if (count(read)) await nextRound();
  }
  return { rows: converted, rowCount };
}

/** Replaces the texts of arrays by lists. */
function withLists(row: JsonObject, arrays: readonly { name: string; type: ArrayType }[]): JsonObject {
  const lists = arrays.flatMap(({ name, type }): [string, JsonValue][] => {
    const text = row[name];
    return looksLikeArray(text) ? [[name, listOf(text, type)]] : [];
  });
  return { ...row, ...Object.fromEntries(lists) };
}

/** Rows with arrays of the database's own types as texts. */
interface TextRows {
  readonly rows: readonly JsonObject[];
  readonly columns: readonly FieldDef[];
  readonly rowCount: number;
}

async function readRows(client: GuardedClient, query: HeldQuery): Promise<TextRows> {
  const values = await toParameters(client, query);
  const cursor = client.query(new Cursor<unknown>(query.text, [...values], { types: jsonTypes }));
  const rows: JsonObject[] = [];
  // Bytes that are stored do not count towards the result, so there may be many rows with some.
  const batchRows = query.saveBytes ? 1 : BATCH_ROWS;
  const valueBytes = values.reduce<number>(
    (sum, value) => sum + (value instanceof Uint8Array ? 2 * value.length : 0),
    0,
  );
  const count = createCounter({ hold: (bytes) => query.hold(valueBytes + bytes) });
  for (;;) {
    const wanted = Math.min(batchRows, query.maxRows + 1 - rows.length);
    client.expect({ rows: wanted, bytes: MAX_BATCH_BYTES });
    const batch = await readBatch(cursor, wanted);
    for (const row of batch.rows) {
      if (!isJsonObject(row)) throw new TypeError('a row is read as an object');
      const read = query.saveBytes ? await withSavedBytes(row, batch.columns, query.saveBytes) : row;
      rows.push(read);
      if (count(read)) await nextRound();
    }
    if (rows.length > query.maxRows) throw tooLarge(`more than ${query.maxRows} rows`);
    if (batch.rows.length < wanted) {
      return { rows, columns: batch.columns, rowCount: batch.rowCount ?? rows.length };
    }
  }
}

/** Stores the bytes of a row. */
async function withSavedBytes(
  row: JsonObject,
  columns: readonly FieldDef[],
  saveBytes: NonNullable<PostgresQuery['saveBytes']>,
): Promise<JsonObject> {
  const saved: [string, JsonValue][] = [];
  for (const { name, dataTypeID } of columns) {
    const base64 = row[name];
    if (dataTypeID !== BYTEA || typeof base64 !== 'string') continue;
    saved.push([name, await saveBytes(Buffer.from(base64, 'base64'), name)]);
  }
  return { ...row, ...Object.fromEntries(saved) };
}

/** Returns a function that counts a row's bytes, and returns true when it is time for other work. */
function createCounter({ hold }: Pick<HeldQuery, 'hold'>): (row: JsonObject) => boolean {
  let bytes = 0;
  let bytesOfRound = 0;
  return (row) => {
    const rowBytes = JSON.stringify(row).length;
    bytes += rowBytes;
    if (bytes > MAX_RESULT_BYTES) throw tooLarge(`more than ${MAX_RESULT_BYTES} bytes`);
    hold(bytes);
    bytesOfRound += rowBytes;
    if (bytesOfRound < BYTES_PER_ROUND) return false;
    bytesOfRound = 0;
    return true;
  };
}

/** A batch of rows, and what is known of all of them. */
interface Batch {
  readonly rows: readonly unknown[];
  readonly columns: readonly FieldDef[];
  readonly rowCount: number | null;
}

function readBatch(cursor: Cursor<unknown>, count: number): Promise<Batch> {
  return new Promise((resolve, reject) => {
    cursor.read(count, (error: unknown, rows, result) => {
      if (types.isNativeError(error)) reject(error);
      else resolve({ rows, columns: result.fields, rowCount: result.rowCount });
    });
  });
}

function tooLarge(what: string): NodeError {
  const message = `the result has ${what}, so it was undone: ask for less, or for more room by maxRows`;
  return new NodeError('RESULT_TOO_LARGE', message, { isRetryable: false });
}
