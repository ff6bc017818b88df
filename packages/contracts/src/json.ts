/** A JSON value (RFC 8259). Treated as immutable everywhere: values are shared, never changed in place. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** True for a JSON object: not an array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON text. @throws SyntaxError when it is none. */
export function parseJson(text: string): JsonValue {
  // What JSON.parse gives is a JSON value by definition; its declared type cannot say so.
  return JSON.parse(text) as JsonValue;
}

/**
 * Parses JSON that this service wrote itself, whose shape is known from where it was written.
 * Never for what comes from a caller: that is validated against a schema.
 * @throws SyntaxError when it is no JSON.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the writer's type is the claim
export function parseOwnJson<T>(text: string): T {
  return JSON.parse(text) as T;
}
