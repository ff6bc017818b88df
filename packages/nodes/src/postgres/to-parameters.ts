import { type JsonValue, storedFileOf } from '@deckhand/contracts';
import type { PostgresQuery } from '@deckhand/engine';
import { describeParameters } from './describe-parameters.ts';
import type { GuardedClient } from './guarded-client.ts';
import { readTypes } from './type-catalogue.ts';
import { type ArrayType, BYTEA, isJsonType } from './value-types.ts';

/** What the server may send of the types of parameters, in bytes. */
const MAX_BYTES = 1_048_576;

/** Maximum size of all files that a statement is given, in bytes: the driver sends it as one message. */
const MAX_FILE_BYTES = 33_554_432;

/**
 * Returns the values of a statement as its parameters want them: a list becomes an array where the parameter is one,
 * and JSON elsewhere. The driver would write it as an array in either case. A stored file becomes its bytes where the
 * parameter is `bytea`. The server is asked for the types only when a value is one of these.
 * @param query.hold is called with the bytes that files take: the driver copies them.
 * @throws NodeError FILE_LIMIT; FILE_NOT_FOUND; MEMORY_EXCEEDED from `hold`.
 */
export async function toParameters(
  client: GuardedClient,
  {
    text,
    values,
    readFile,
    hold,
  }: Pick<PostgresQuery, 'text' | 'values' | 'readFile'> & { readonly hold: (bytes: number) => void },
): Promise<readonly (JsonValue | Uint8Array)[]> {
  if (!values.some((value) => isList(value) || storedFileOf(value))) return values;
  client.expect({ rows: 0, bytes: MAX_BYTES });
  const oids = await describeParameters(client, text);
  const types = await readTypes(
    client,
    values.flatMap((value, index) => (isList(value) ? (oids[index] ?? 0) : [])),
  );
  let leftBytes = MAX_FILE_BYTES;
  const parameters: (JsonValue | Uint8Array)[] = [];
  for (const [index, value] of values.entries()) {
    const oid = oids[index] ?? 0;
    const file = oid === BYTEA ? storedFileOf(value) : undefined;
    const bytes = file && (await readFile(file, leftBytes));
    if (bytes) {
      leftBytes -= bytes.byteLength;
      hold(2 * (MAX_FILE_BYTES - leftBytes));
    }
    parameters.push(bytes ?? (isList(value) ? listParameter(value, types.array(oid)) : value));
  }
  return parameters;
}

function listParameter(list: readonly JsonValue[], array: ArrayType | undefined): JsonValue {
  if (!array) return JSON.stringify(list);
  return isJsonType(array.element) ? list.map(asJsonElement) : list;
}

/** A list within a list would be another dimension of the array. */
function asJsonElement(element: JsonValue): JsonValue {
  return isList(element) ? JSON.stringify(element) : element;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
