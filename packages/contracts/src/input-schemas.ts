import type { JsonObject } from './json.ts';

/** A JSON Schema that a trigger enforces: a start whose input does not fit is refused. */
export type InputSchema = Readonly<{
  schema: JsonObject;
  /** The member of the trigger data that it is for; undefined for the data as a whole. */
  member?: string;
}>;

/** The schemas that the triggers of a version enforce, by node id. */
export type InputSchemas = Readonly<Record<string, InputSchema>>;
