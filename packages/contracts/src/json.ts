/** A JSON value (RFC 8259). Treated as immutable everywhere: values are shared, never changed in place. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Returns true for a JSON object, which is neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON text. @throws SyntaxError if it is invalid. */
export function parseJson(text: string): JsonValue {
  // JSON.parse returns a JSON value by definition, but is declared to return any.
  return JSON.parse(text) as JsonValue;
}

/**
 * Parses JSON that this service wrote itself, so that its type is known. Must not be used for input of a caller, which
 * is validated against a schema.
 * @throws SyntaxError if it is invalid.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the writer's type is the claim
export function parseOwnJson<T>(text: string): T {
  return JSON.parse(text) as T;
}
