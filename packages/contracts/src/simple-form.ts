import { type FileField, fileFieldOf } from './file-field.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** A form that plain inputs can show: an object of texts, numbers, booleans, choices and files. */
export type SimpleForm = readonly SimpleField[];

/** A field of a form, with one input. */
export interface SimpleField {
  /** Its name in the data. */
  readonly name: string;
  /** Its name in the form that the browser sends. */
  readonly input: string;
  readonly schema: JsonObject;
  readonly type: 'string' | 'number' | 'boolean' | 'choice' | 'file';
  /** Of a field for files. */
  readonly files: FileField | undefined;
  readonly isRequired: boolean;
}

const MAX_FIELDS = 50;
/** With these, the members of the data cannot be read off `properties`, or not all combinations of them fit. */
const NOT_SIMPLE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'const'];

/** Returns the fields of a form; undefined for one that needs more than plain inputs. */
export function simpleForm(schema: unknown): SimpleForm | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object' || hasAny(schema, NOT_SIMPLE)) return undefined;
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required) || isJsonObject(additionalProperties)) return undefined;
  const wanted = new Set<JsonValue>(required);
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS || [...wanted].some((name) => !entries.some(([known]) => known === name))) {
    return undefined;
  }
  const fields: SimpleField[] = [];
  for (const [index, [name, property]] of entries.entries()) {
    const type = isJsonObject(property) ? typeOf(property) : undefined;
    if (!isJsonObject(property) || type === undefined) return undefined;
    const files = type === 'file' ? fileFieldOf(property) : undefined;
    fields.push({ name, input: `field-${index}`, schema: property, type, files, isRequired: wanted.has(name) });
  }
  return fields;
}

function typeOf(schema: JsonObject): SimpleField['type'] | undefined {
  if (hasAny(schema, NOT_SIMPLE)) return undefined;
  if (fileFieldOf(schema)) return 'file';
  if (schema.enum !== undefined) {
    const choices: readonly JsonValue[] = Array.isArray(schema.enum) ? schema.enum : [];
    return choices.length > 0 && choices.every((choice) => typeof choice !== 'object') ? 'choice' : undefined;
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    default:
      return undefined;
  }
}

function hasAny(schema: JsonObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined);
}
