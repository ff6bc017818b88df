import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { NodeError } from '@deckhand/engine';
import Type from 'typebox';

/** The parameter of nodes that work on a list. */
export const ItemsParameter = Type.Optional(
  Type.Unsafe<readonly JsonValue[]>({ type: 'array', description: 'The list; the input without it' }),
);

/** A field of an item: names with dots between them. */
export const FieldParameter = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: `${description}: a name, or several with dots between them`,
  });

/**
 * Returns the list that a node works on. @throws NodeError PARAMETERS_INVALID when neither parameter nor input is one.
 */
export function itemsOf(items: readonly JsonValue[] | undefined, input: JsonValue): readonly JsonValue[] {
  if (items) return items;
  if (isList(input)) return input;
  throw new NodeError('PARAMETERS_INVALID', 'parameters.items is required: the input is not a list', {
    isRetryable: false,
  });
}

/** Reads one field of items: undefined when an item has none. */
export interface FieldReader {
  readonly read: (item: JsonValue) => JsonValue | undefined;
  /** Units of work of one read at most. */
  readonly units: number;
}

/** Returns a function that reads a field; without a field, the item itself. */
export function fieldReader(field: string | undefined): FieldReader {
  if (field === undefined) return { read: (item) => item, units: 1 };
  const names = field.split('.').map((name) => ({ name, index: /^\d+$/.test(name) ? Number(name) : undefined }));
  return {
    units: names.length,
    read(item) {
      let value: JsonValue | undefined = item;
      for (const { name, index } of names) {
        if (value !== undefined && isJsonObject(value) && Object.hasOwn(value, name)) value = value[name];
        else if (value !== undefined && isList(value) && index !== undefined) value = value[index];
        else return undefined;
      }
      return value;
    },
  };
}

/** `Array.isArray` alone loses the type of the elements. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
