import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { isList } from './document.ts';

/** By format. */
const SAMPLES: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T12:00:00Z'],
  ['email', 'ada@example.com'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);
/** Maximum number of items and characters that a minimum may ask for. */
const MAX_ITEMS = 20;
const MAX_CHARS = 1_000;

/**
 * Returns a value that fits the schema of an operation, with the required members only: the example or default of the
 * document where it has one. A pattern is not followed.
 */
export function sampleValue(schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return null;
  const { const: only, examples, default: standard, enum: values, anyOf } = schema;
  if (only !== undefined) return only;
  const choices = isList(values) ? values : undefined;
  const [given = standard] = isList(examples) ? examples : [];
  if (given !== undefined && fits(given, schema) && (choices?.includes(given) ?? true)) return given;
  if (choices) return choices[0] ?? null;
  const own = sampleOfType(schema);
  if (!isList(anyOf)) return own;
  const choice = sampleValue(anyOf[0]);
  return isJsonObject(own) && isJsonObject(choice) ? { ...own, ...choice } : choice;
}

function typeOf({ type, items, properties }: JsonObject): JsonValue {
  const [first] = [type].flat().filter((each) => each !== undefined && each !== 'null');
  if (first !== undefined) return first;
  if (properties !== undefined) return 'object';
  return items === undefined ? (type ?? 'string') : 'array';
}

/** Checks what documents get wrong most: the type of an example, its length, and its format. */
function fits(value: JsonValue, schema: JsonObject): boolean {
  const types = [schema.type].flat();
  const { minLength, maxLength, minimum, maximum, format, pattern } = schema;
  if (typeof value === 'string') {
    if (schema.type !== undefined && !types.includes('string')) return false;
    if (value.length < Number(minLength ?? 0) || value.length > Number(maxLength ?? Infinity)) return false;
    return !SAMPLES.has(format) && (pattern === undefined || value !== '');
  }
  if (typeof value === 'number') {
    const isOfType = types.includes('number') || (types.includes('integer') && Number.isInteger(value));
    const isInRange = value >= Number(minimum ?? -Infinity) && value <= Number(maximum ?? Infinity);
    return (schema.type === undefined || isOfType) && isInRange;
  }
  return schema.type === undefined || types.includes(value === null ? 'null' : typeof value);
}

function sampleOfType(schema: JsonObject): JsonValue {
  switch (typeOf(schema)) {
    case 'string':
      return sampleText(schema);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return sampleList(schema);
    case 'object':
      return sampleObject(schema);
    default:
      return null;
  }
}

function sampleText({ format, minLength, maxLength }: JsonObject): string {
  const sample = SAMPLES.get(format) ?? 'text';
  const least = Math.min(typeof minLength === 'number' ? minLength : 0, MAX_CHARS);
  return sample.padEnd(least, 'x').slice(0, typeof maxLength === 'number' ? maxLength : undefined);
}

function sampleNumber({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: JsonObject): number {
  const step = typeof multipleOf === 'number' ? multipleOf : 1;
  const up = (from: number): number => Math.ceil(from / step) * step;
  if (typeof minimum === 'number') return type === 'integer' || step !== 1 ? up(minimum) : minimum;
  if (typeof exclusiveMinimum === 'number') {
    if (typeof exclusiveMaximum === 'number' && type !== 'integer') return (exclusiveMinimum + exclusiveMaximum) / 2;
    return up(exclusiveMinimum + step / 2);
  }
  if (typeof maximum === 'number' && maximum < step) return Math.floor(maximum / step) * step;
  if (typeof exclusiveMaximum === 'number' && exclusiveMaximum <= step)
    return Math.floor((exclusiveMaximum - step / 2) / step) * step;
  return step;
}

function sampleList({ items, minItems, uniqueItems }: JsonObject): JsonValue {
  const count = Math.min(typeof minItems === 'number' ? minItems : 0, MAX_ITEMS);
  const choices = isJsonObject(items) && isList(items.enum) ? items.enum : undefined;
  return Array.from({ length: count }, (_, index) => {
    if (choices) return choices[index % choices.length] ?? null;
    const item = sampleValue(items);
    if (uniqueItems !== true || index === 0) return item;
    return typeof item === 'number' ? item + index : typeof item === 'string' ? `${item}${index}` : item;
  });
}

function sampleObject({ properties, required, additionalProperties, minProperties }: JsonObject): JsonObject {
  const members = isJsonObject(properties) ? properties : {};
  const names = (isList(required) ? required : []).filter((name) => typeof name === 'string');
  // One member shows more than none, where any would do.
  const least = Math.min(typeof minProperties === 'number' ? minProperties : 0, MAX_ITEMS);
  const further = Object.keys(members).filter((name) => !names.includes(name));
  const all = [...names, ...further.slice(0, Math.max(0, least - names.length))];
  const entries = all.map((name): [string, JsonValue] => [
    name,
    Object.hasOwn(members, name) ? sampleValue(members[name]) : sampleValue(additionalProperties),
  ]);
  const missing = Math.max(0, least - entries.length);
  const made = Array.from({ length: missing }, (_, index): [string, JsonValue] => [
    `name${index + 1}`,
    sampleValue(additionalProperties ?? {}),
  ]);
  return Object.fromEntries([...entries, ...made]);
}
