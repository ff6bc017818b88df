import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@deckhand/contracts';
import { isExpression } from '../../expressions/template.ts';
import { unsupported } from '../../unsupported.ts';
import { isList, type N8nNode, object } from '../../workflow.ts';

/** What exports omit. */
const FIRST_EXAMPLE = '{"state":"California","cities":["Los Angeles","San Francisco","San Diego"]}';
const FIRST_SCHEMA =
  '{"type":"object","properties":{"state":{"type":"string"},"cities":{"type":"array","items":{"type":"string"}}}}';
/** Maximum nesting of an example. */
const MAX_DEPTH = 50;

/**
 * Returns the schema that a node has in one of its parameters.
 * @param requiresAll whether all members of an example are required.
 * @throws UnsupportedError
 */
export function schemaOf({ parameters }: N8nNode, requiresAll: boolean, name = 'inputSchema'): JsonObject {
  const { schemaType = 'fromJson' } = parameters;
  if (name === 'inputSchema' && schemaType === 'fromJson') {
    const schema = schemaOfExample(readJson(parameters.jsonSchemaExample ?? FIRST_EXAMPLE, 'an example'));
    return requiresAll ? withAllRequired(schema) : schema;
  }
  const schema = readJson(parameters[name] ?? FIRST_SCHEMA, 'a schema');
  return isJsonObject(schema) ? schema : unsupported('a schema that is not an object');
}

function readJson(given: JsonValue, what: string): JsonValue {
  if (isExpression(given)) return unsupported(`${what} that is an expression`);
  if (typeof given !== 'string') return given;
  try {
    return parseJson(given);
  } catch {
    return unsupported(`${what} that is not JSON`);
  }
}

/** Returns the schema of an example, as the library of n8n (generate-schema 2.6) makes it. */
function schemaOfExample(example: JsonValue, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) return unsupported(`an example that is nested deeper than ${MAX_DEPTH} levels`);
  if (isList(example)) return { type: 'array', items: itemsOf(example, depth) };
  if (!isJsonObject(example)) return { type: typeOf(example) };
  const members = Object.entries(example).map(([name, each]) => [name, schemaOfExample(each, depth + 1)] as const);
  return { type: 'object', properties: Object.fromEntries(members) };
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return isList(value) ? 'array' : typeof value;
}

function itemsOf(examples: readonly JsonValue[], depth: number): JsonObject {
  const [type, ...others] = [...new Set(examples.map(typeOf))];
  if (type === undefined) return {};
  if (others.length > 0) return unsupported('an example with a list of several types');
  if (type !== 'object') return { type };
  const [first, ...rest] = examples.map(object);
  const shape = (each: JsonObject | undefined): string => JSON.stringify(schemaOfExample(each ?? {}, depth + 1));
  if (rest.some((each) => shape(each) !== shape(first))) return unsupported('an example with a list of several shapes');
  const schema = schemaOfExample(first ?? {}, depth + 1);
  return rest.length > 0 ? { ...schema, required: Object.keys(first ?? {}) } : schema;
}

function withAllRequired(schema: JsonObject): JsonObject {
  const { properties, items } = schema;
  if (isJsonObject(items) && 'type' in items) return { ...schema, items: withAllRequired(items) };
  if (!isJsonObject(properties)) return schema;
  const names = Object.keys(properties);
  const members = names.map((name) => [name, withAllRequired(object(properties[name]))] as const);
  return { ...schema, properties: Object.fromEntries(members), ...(names.length > 0 && { required: names }) };
}

/** A schema that a model gets, and JavaScript for what n8n makes of the `output` of the model. */
export interface OutputSchema {
  readonly schema: JsonObject;
  readonly value: string;
}

/** Returns a schema in the form that providers take: that of an object. */
export function asObject(schema: JsonObject): OutputSchema {
  const { type, properties } = schema;
  if (type === 'object' || (type === undefined && properties !== undefined)) {
    return { schema: { ...schema, type: 'object' }, value: 'output' };
  }
  return {
    schema: { type: 'object', properties: { output: schema }, required: ['output'] },
    value: 'output.output',
  };
}
