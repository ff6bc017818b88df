import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { diffValues } from '../../graph/diff-definitions.ts';
import { i18n } from '../../language/i18n.ts';

// A form is edited as rows and saved as a JSON Schema. Both directions are exact: `toSchema` of the rows of a schema is
// that schema, and `toRows` of the schema of rows is those rows. A schema for which that cannot be has no rows.

/** What a field asks for. */
export type FieldType = keyof typeof BARE;

/** The keywords of each type, without those of its limits and choices. */
const BARE = {
  text: { type: 'string' },
  // A standard annotation: plain text is a document, and has lines.
  longText: { type: 'string', contentMediaType: 'text/plain' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  flag: { type: 'boolean' },
  choice: { type: 'string' },
  choices: { type: 'array' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
  email: { type: 'string', format: 'email' },
  url: { type: 'string', format: 'uri' },
  texts: { type: 'array', items: { type: 'string' } },
  file: { type: 'object', file: {} },
  files: { type: 'array', items: { file: {} } },
} as const satisfies Readonly<Record<string, JsonObject>>;

const LENGTHS = ['minLength', 'maxLength'] as const;
const NUMBERS = ['minimum', 'maximum'] as const;
const SIZES = ['minItems', 'maxItems'] as const;

/** The keywords for the least and the most of a type. */
type Limits = typeof LENGTHS | typeof NUMBERS | typeof SIZES;

/** The limits of the types that have some: of a number, a length, or how many items there are. */
const LIMITS: Readonly<Partial<Record<FieldType, Limits>>> = {
  text: LENGTHS,
  longText: LENGTHS,
  number: NUMBERS,
  integer: NUMBERS,
  choices: SIZES,
  email: LENGTHS,
  url: LENGTHS,
  texts: SIZES,
  files: SIZES,
};

/** A field of a form. Empty parts are not part of the schema. */
export interface FormRow {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  readonly help: string;
  readonly fallback: JsonValue | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** The choices of a type that has some. */
  readonly choices: readonly string[];
}

/** A field that has nothing but a type. */
export const EMPTY_ROW: FormRow = {
  name: '',
  label: '',
  type: 'text',
  isRequired: false,
  help: '',
  fallback: undefined,
  min: undefined,
  max: undefined,
  choices: [],
};

/** Returns the type of a field's values in JSON Schema, and their format. */
export function keywordsOf(type: FieldType): { readonly type: string; readonly format?: string } {
  return BARE[type];
}

/** Returns the choices of a row as its schema has them. */
export function choicesOf({ choices }: FormRow): readonly string[] {
  return [...new Set(choices)].filter((choice) => choice !== '');
}

/** Returns true if fields of the type have choices. */
export function hasChoices(type: FieldType): boolean {
  return type === 'choice' || type === 'choices';
}

/** Returns the keywords for the least and the most of a type; undefined if it has no limits. */
export function limitsOf(type: FieldType): Limits | undefined {
  return LIMITS[type];
}

/** Returns the JSON Schema of a form. Rows without a name of their own, and empty choices, are not part of it. */
export function toSchema(rows: readonly FormRow[]): JsonObject {
  const named = withNames(rows);
  const required = named.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(named.map((row) => [row.name, toProperty(row)])),
    ...(required.length > 0 && { required }),
  };
}

/** Returns the rows that are part of the schema. */
export function withNames(rows: readonly FormRow[]): readonly FormRow[] {
  return rows.filter((_, index) => nameIssue(rows, index) === undefined);
}

/** Returns the rows of a form's JSON Schema; undefined if the builder cannot represent all of it exactly. */
export function toRows(schema: JsonValue | undefined): readonly FormRow[] | undefined {
  if (schema === undefined) return [];
  if (!isJsonObject(schema) || schema.properties === undefined || !isJsonObject(schema.properties)) return undefined;
  const required: ReadonlySet<unknown> = new Set(Array.isArray(schema.required) ? schema.required : []);
  const rows = Object.entries(schema.properties).map(([name, property]) =>
    isJsonObject(property) ? toRow(name, property, required.has(name)) : EMPTY_ROW,
  );
  return diffValues(schema, toSchema(rows)).length === 0 ? rows : undefined;
}

/** Returns why a row is not part of the schema; undefined if it is. */
export function nameIssue(rows: readonly FormRow[], index: number): string | undefined {
  const name = rows[index]?.name ?? '';
  if (name === '') return i18n.t('Enter a label or a name');
  // JavaScript moves members with a number as their name to the front, and has a meaning of its own for the other.
  if (/^(\d+|__proto__)$/.test(name)) return i18n.t('This name cannot be used');
  return rows.slice(0, index).some((row) => row.name === name) ? i18n.t('Another field has this name') : undefined;
}

/** Changes the type of a row. Only what the new type has, too, is kept. */
export function withType(row: FormRow, type: FieldType): FormRow {
  const areLimitsKept = limitsOf(row.type)?.[0] === limitsOf(type)?.[0];
  return {
    ...row,
    type,
    fallback: undefined,
    min: areLimitsKept ? row.min : undefined,
    max: areLimitsKept ? row.max : undefined,
    choices: hasChoices(type) ? row.choices : [],
  };
}

/** Returns a name for a label that no other field has, such as `amountInEur`. */
export function nameOf(label: string, taken: readonly string[]): string {
  const [first = '', ...others] =
    label
      // Letters without their accents.
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[A-Za-z0-9]+/g)
      ?.map((word) => word.toLowerCase()) ?? [];
  if (label.trim() === '') return '';
  const camel = first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const stem = /^[a-z]/.test(camel) ? camel : `field${camel}`;
  let name = stem;
  for (let number = 2; taken.includes(name); number += 1) name = `${stem}${number}`;
  return name;
}

/** Returns the JSON Schema of a field. */
export function toProperty(row: FormRow): JsonObject {
  const { type, label, help, fallback, min, max } = row;
  const [least, most] = limitsOf(type) ?? [];
  return {
    ...BARE[type],
    ...(type === 'choice' && { enum: choicesOf(row) }),
    ...(type === 'choices' && { items: { type: 'string', enum: choicesOf(row) } }),
    ...(label !== '' && { title: label }),
    ...(help !== '' && { description: help }),
    ...(fallback !== undefined && { default: fallback }),
    ...(least !== undefined && min !== undefined && { [least]: min }),
    ...(most !== undefined && max !== undefined && { [most]: max }),
  };
}

/** Reads what a row can have of a property; the caller checks that it is all. */
function toRow(name: string, property: JsonObject, isRequired: boolean): FormRow {
  const type = typeOf(property);
  const [least, most] = limitsOf(type) ?? [];
  return {
    name,
    label: textOf(property.title),
    type,
    isRequired,
    help: textOf(property.description),
    fallback: property.default,
    min: least === undefined ? undefined : numberOf(property[least]),
    max: most === undefined ? undefined : numberOf(property[most]),
    choices: type === 'choice' ? textsOf(property.enum) : type === 'choices' ? textsOf(itemsOf(property).enum) : [],
  };
}

function typeOf(property: JsonObject): FieldType {
  const { type } = property;
  switch (type) {
    case 'number':
    case 'integer':
      return type;
    case 'boolean':
      return 'flag';
    case 'array':
      if (itemsOf(property).file !== undefined) return 'files';
      return itemsOf(property).enum === undefined ? 'texts' : 'choices';
    case 'object':
      return 'file';
    default:
      if (property.enum !== undefined) return 'choice';
      if (property.contentMediaType !== undefined) return 'longText';
      return FORMATS.get(textOf(property.format)) ?? 'text';
  }
}

const FORMATS: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['date', 'date'],
  ['date-time', 'time'],
  ['email', 'email'],
  ['uri', 'url'],
]);

function itemsOf({ items }: JsonObject): JsonObject {
  return items !== undefined && isJsonObject(items) ? items : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  const list: readonly unknown[] = value;
  return list.filter((one): one is string => typeof one === 'string');
}
