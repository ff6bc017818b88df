import type { JsonValue } from '@deckhand/contracts';
import { describeParameters } from './describe-parameters.ts';
import type { GuardedClient } from './guarded-client.ts';
import { readTypes } from './type-catalogue.ts';
import { isJsonType } from './value-types.ts';

/** What the server may send of the types of parameters, in bytes. */
const MAX_BYTES = 1_048_576;

/**
 * Returns the values of a statement as its parameters want them: a list becomes an array where the parameter is one,
 * and JSON elsewhere. The driver would write it as an array in either case. The server is asked for the types only when
 * a value is a list.
 */
export async function toParameters(
  client: GuardedClient,
  { text, values }: { readonly text: string; readonly values: readonly JsonValue[] },
): Promise<readonly JsonValue[]> {
  if (!values.some(isList)) return values;
  client.expect({ rows: 0, bytes: MAX_BYTES });
  const oids = await describeParameters(client, text);
  const types = await readTypes(
    client,
    values.flatMap((value, index) => (isList(value) ? (oids[index] ?? 0) : [])),
  );
  return values.map((value, index) => {
    if (!isList(value)) return value;
    const array = types.array(oids[index] ?? 0);
    if (!array) return JSON.stringify(value);
    return isJsonType(array.element) ? value.map(asJsonElement) : value;
  });
}

/** A list within a list would be another dimension of the array. */
function asJsonElement(element: JsonValue): JsonValue {
  return isList(element) ? JSON.stringify(element) : element;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
