import {
  estimatePatternSize,
  isJsonObject,
  isUsablePattern,
  type JsonObject,
  type JsonValue,
} from '@deckhand/contracts';
import { isList, type References } from './document.ts';
import { scalarText } from './serialize.ts';

/** Maximum nesting of schemas: half of what a schema of an untrusted author may have, which counts containers too. */
const MAX_DEPTH = 18;
/** Maximum number of schemas that `allOf` may add to one. */
const MAX_MERGED = 50;
/** Maximum number of values of all enums and lists of required members together. */
const MAX_LISTED = 5_000;
/** Maximum size of all patterns together, in instructions, and length of one, in characters. */
const MAX_PATTERNS = 150;
const MAX_PATTERN_CHARS = 200;
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 300;
const MAX_EXAMPLE = 200;

const TYPES: ReadonlySet<JsonValue> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** How a schema is written: in a request, members that only responses have are left out, and the other way round. */
interface Purpose {
  /** Members with this flag are left out. */
  readonly omitted: 'readOnly' | 'writeOnly';
  /** Whether binary texts are files, as in bodies other than JSON. */
  readonly hasFiles: boolean;
}

/** Converts schemas of OpenAPI to JSON Schema, all within one budget. */
export interface SchemaConverter {
  /** Returns a schema that `finish` fills. It accepts any value if the budget is used up. */
  convert(source: JsonValue | undefined, purpose: Purpose): JsonObject;
  /** Fills all schemas, level by level, so that what is deepest goes without if the budget is used up. */
  finish(): void;
  /** Whether a part was left out, and accepts any value. */
  readonly isCut: () => boolean;
}

/** What `type` may be. */
type Types = string | string[] | undefined;

type MutableObject = Record<string, JsonValue>;

/** A schema to be filled. */
interface Task {
  readonly source: JsonValue | undefined;
  readonly target: MutableObject;
  readonly purpose: Purpose;
  readonly depth: number;
  /** The objects of the document that it is within: one that is met again is a cycle. */
  readonly within: Within | undefined;
}

interface Within {
  readonly sources: readonly JsonObject[];
  readonly outer: Within | undefined;
}

/** Keywords whose value is copied if it is what JSON Schema requires. */
const COPIED: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  // With a fraction, the check would refuse multiples too: 19.99 / 0.01 is 1998.9999999999998.
  multipleOf: (value) => isCount(value) && value !== 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: (value) => typeof value === 'boolean',
  format: (value) => typeof value === 'string' && value.length <= MAX_TITLE,
  contentMediaType: (value) => typeof value === 'string' && value.length <= MAX_TITLE,
  const: isScalar,
  default: isShortScalar,
};

/** Keywords whose value is one that the schema accepts. */
const OF_VALUES: ReadonlySet<string> = new Set(['const', 'default']);

/** What a file is in a form: a value of the store, or bytes in base64. Texts are sent as they are. */
const FILE: JsonObject = {
  type: ['object', 'string'],
  title: 'File',
  description: 'A file: `{ file }` or `{ base64, contentType }`',
};

/**
 * Creates a converter. The result is a tree without references: `allOf` is merged, cycles are cut, `oneOf` is `anyOf`,
 * and keywords that a form has no use for are left out. So it accepts whatever the document accepts and costs little to
 * check; what it cannot express is left to the service.
 * @param maxParts maximum number of objects in all schemas together.
 */
export function createSchemaConverter(references: References, maxParts: number): SchemaConverter {
  let tasks: Task[] = [];
  let [parts, listed, patterns] = [maxParts, MAX_LISTED, MAX_PATTERNS];
  let isCut = false;

  /** Plans a schema; undefined if the budget is used up. */
  function plan(
    source: JsonValue | undefined,
    purpose: Purpose,
    depth: number,
    within?: Within,
  ): JsonObject | undefined {
    if (parts <= 0 || depth > MAX_DEPTH) {
      isCut = true;
      return undefined;
    }
    parts -= 1;
    const target: MutableObject = {};
    tasks.push({ source, target, purpose, depth, within });
    return target;
  }

  /** Returns a schema and what `allOf` adds to it, the latter first: the last value of a keyword counts. */
  function merged(source: JsonValue | undefined, within: Within | undefined): JsonObject[] {
    const found: JsonObject[] = [];
    const add = (value: JsonValue | undefined): void => {
      const schema = references.resolve(value);
      if (!schema || found.includes(schema) || isWithin(schema, within)) return;
      if (found.length === MAX_MERGED) return;
      const at = found.push(schema) - 1;
      if (isList(schema.allOf)) for (const part of schema.allOf) add(part);
      found.push(...found.splice(at, 1));
      // In OpenAPI 3.1, a reference may have siblings.
      if (isJsonObject(value) && value !== schema) found.push(value);
    };
    add(source);
    return found;
  }

  function fill({ source, target, purpose, depth, within }: Task): void {
    const schemas = merged(source, within);
    if (schemas.length === 0) return;
    const inner: Within = { sources: schemas, outer: within };
    const later = (value: JsonValue | undefined) => plan(value, purpose, depth + 1, inner);
    const [only = {}, ...others] = schemas;
    const whole: JsonObject =
      others.length === 0 ? only : Object.fromEntries(schemas.flatMap((schema) => Object.entries(schema)));
    if (purpose.hasFiles && isFile(whole)) {
      Object.assign(target, FILE, textsOf(whole));
      return;
    }
    Object.assign(target, textsOf(whole));
    const types = typesOf(whole);
    if (types) target.type = types;
    for (const [keyword, isValid] of Object.entries(COPIED)) {
      const value = whole[keyword];
      if (value !== undefined && isValid(value))
        target[keyword] = OF_VALUES.has(keyword) ? asTyped(types, value) : value;
    }
    for (const [limit, flag] of EXCLUSIVE) {
      if (whole[flag] !== true || target[limit] === undefined) continue;
      target[flag] = target[limit];
      Reflect.deleteProperty(target, limit);
    }
    addPattern(target, whole.pattern);
    addEnum(target, whole, types);
    addExample(target, whole);
    addMembers(target, schemas, { purpose, later });
    // Beside `prefixItems`, `items` are only the further ones.
    if (mayBe(types, 'array') && isJsonObject(whole.items) && whole.prefixItems === undefined)
      addNonEmpty(target, 'items', later(whole.items));
    addChoices(target, whole, later);
  }

  function addPattern(target: MutableObject, pattern: JsonValue | undefined): void {
    if (typeof pattern !== 'string' || pattern.length > MAX_PATTERN_CHARS) return;
    const size = estimatePatternSize(pattern);
    if (size > patterns || !isUsablePattern(pattern)) return;
    patterns -= size;
    target.pattern = pattern;
  }

  function addEnum(target: MutableObject, whole: JsonObject, types: Types): void {
    const { enum: values } = whole;
    if (!isList(values) || values.length === 0 || !values.every(isScalar)) return;
    const typed = values.map((value) => asTyped(types, value));
    const distinct = [...new Set(isNullable(whole) ? [...typed, null] : typed)];
    if (distinct.length > listed) return;
    listed -= distinct.length;
    target.enum = distinct;
  }

  /** Adds the members of an object, of which some may be left out. */
  function addMembers(
    target: MutableObject,
    schemas: readonly JsonObject[],
    { purpose, later }: { purpose: Purpose; later: (value: JsonValue | undefined) => JsonObject | undefined },
  ): void {
    const members = new Map(
      schemas.flatMap(({ properties }) => (isJsonObject(properties) ? Object.entries(properties) : [])),
    );
    const omitted = new Set([...members].flatMap(([name, member]) => (isOmitted(member, purpose) ? [name] : [])));
    const entries: [string, JsonObject][] = [];
    if (members.size > omitted.size && parts > 0) {
      parts -= 1;
      for (const [name, member] of members) {
        if (omitted.has(name)) continue;
        const planned = later(member);
        if (planned) entries.push([name, planned]);
      }
      target.properties = Object.fromEntries(entries);
    }
    const required = requiredOf(schemas).filter((name) => !omitted.has(name));
    if (required.length > 0 && required.length <= listed) {
      listed -= required.length;
      target.required = required;
    }
    const [only, ...others] = schemas;
    if (!only || others.length > 0) return;
    const { additionalProperties, patternProperties, anyOf, oneOf } = only;
    if (isJsonObject(additionalProperties) && !patternProperties)
      addNonEmpty(target, 'additionalProperties', later(additionalProperties));
    const isClosed = additionalProperties === false && !patternProperties && !anyOf && !oneOf;
    if (isClosed && entries.length === members.size - omitted.size && members.size > 0)
      target.additionalProperties = false;
  }

  /** `oneOf` becomes `anyOf`: parts that accept any value would make several match. */
  function addChoices(
    target: MutableObject,
    whole: JsonObject,
    later: (value: JsonValue | undefined) => JsonObject | undefined,
  ): void {
    const choices = [whole.oneOf, whole.anyOf].find((value) => isList(value) && value.length > 0);
    if (!isList(choices) || choices.length > parts) {
      if (choices) isCut = true;
      return;
    }
    const planned = choices.map(later).filter((choice) => choice !== undefined);
    if (planned.length < choices.length) return;
    if (isNullable(whole)) parts -= 1;
    target.anyOf = isNullable(whole) ? [...planned, { type: 'null' }] : planned;
  }

  function isOmitted(member: JsonValue, { omitted }: Purpose): boolean {
    if (isJsonObject(member) && member[omitted] === true) return true;
    return references.resolve(member)?.[omitted] === true;
  }

  return {
    convert: (source, purpose) => plan(source, purpose, 0) ?? {},
    finish() {
      while (tasks.length > 0) {
        const level = tasks;
        tasks = [];
        for (const task of level) fill(task);
      }
    },
    isCut: () => isCut,
  };
}

const EXCLUSIVE = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

function isWithin(schema: JsonObject, within: Within | undefined): boolean {
  for (let at = within; at; at = at.outer) if (at.sources.includes(schema)) return true;
  return false;
}

function addNonEmpty(target: MutableObject, keyword: string, schema: JsonObject | undefined): void {
  if (schema) target[keyword] = schema;
}

function textsOf({ title, description }: JsonObject): JsonObject {
  return {
    ...(typeof title === 'string' && title !== '' && { title: cut(title, MAX_TITLE) }),
    ...(typeof description === 'string' && description !== '' && { description: cut(description, MAX_DESCRIPTION) }),
  };
}

/** Returns the beginning of a text on one line. */
export function cut(text: string, maxChars: number): string {
  const line = text
    .slice(0, 4 * maxChars)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > maxChars ? `${characters.slice(0, maxChars - 1).join('')}…` : line;
}

/** Returns `type`, which may be a list, and may include null; undefined for none that JSON Schema knows. */
function typesOf(schema: JsonObject): Types {
  const given = [schema.type].flat().filter((type) => typeof type === 'string' && TYPES.has(type)) as string[];
  if (given.length === 0 && isJsonObject(schema.properties)) given.push('object');
  const [first] = given;
  if (first === undefined) return undefined;
  const types = [...new Set(isNullable(schema) ? [...given, 'null'] : given)];
  return types.length === 1 ? first : types;
}

function isNullable(schema: JsonObject): boolean {
  return schema.nullable === true || schema['x-nullable'] === true;
}

/** Returns a text for a number or a flag that must be a text: in YAML, both are written alike. */
function asTyped(types: Types, value: JsonValue): JsonValue {
  const isOnlyText = types !== undefined && [types].flat().every((type) => type === 'string' || type === 'null');
  return isOnlyText && value !== null && mayBe(types, 'string') ? scalarText(value) : value;
}

function mayBe(types: Types, type: string): boolean {
  return types === undefined || [types].flat().includes(type);
}

/** A binary text (OpenAPI 3.0), a text of a media type (3.1), or a file (Swagger 2). */
function isFile({ type, format, contentMediaType, contentEncoding }: JsonObject): boolean {
  if (type === 'file') return true;
  return (
    type === 'string' && (format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined))
  );
}

function requiredOf(schemas: readonly JsonObject[]): string[] {
  const names = schemas.flatMap(({ required }) => (isList(required) ? required : []));
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

/** Keeps one example, for samples. */
function addExample(target: MutableObject, { example, examples }: JsonObject): void {
  const [first] = isList(examples) ? examples : [];
  const value = example ?? first;
  if (value !== undefined && isShortScalar(value)) target.examples = [value];
}

function isNumber(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: JsonValue): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || isNumber(value);
}

function isShortScalar(value: JsonValue): boolean {
  return isScalar(value) && (typeof value !== 'string' || value.length <= MAX_EXAMPLE);
}
