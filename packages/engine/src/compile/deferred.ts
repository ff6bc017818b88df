import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';

/**
 * Separates the parameter at a path with dots from the others. Both parts keep their paths, for messages.
 * @returns `deferred`: undefined if the parameter is not there.
 */
export function separateDeferred(
  parameters: JsonObject,
  path: string,
): { readonly others: JsonObject; readonly deferred: JsonObject | undefined } {
  const [name = '', ...rest] = path.split('.');
  const value = parameters[name];
  const { [name]: _separated, ...others } = parameters;
  if (value === undefined) return { others: parameters, deferred: undefined };
  if (rest.length === 0) return { others, deferred: { [name]: value } };
  if (!isJsonObject(value)) return { others: parameters, deferred: undefined };
  const inner = separateDeferred(value, rest.join('.'));
  return {
    others: { ...parameters, [name]: inner.others },
    deferred: inner.deferred && { [name]: inner.deferred },
  };
}

/** Returns the value at a path with dots. */
export function valueAt(value: JsonValue, path: string): JsonValue {
  let at: JsonValue | undefined = value;
  for (const name of path.split('.')) at = at !== undefined && isJsonObject(at) ? at[name] : undefined;
  return at ?? null;
}
