import {
  type FileField,
  fileFieldOf,
  type FormInput,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '@deckhand/contracts';
import { servedText } from '../language/served-text.ts';

/** How a field of a form is filled in. */
export type Kind =
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'number' }
  | { readonly kind: 'date' }
  | { readonly kind: 'time' }
  | { readonly kind: 'texts' }
  | { readonly kind: 'map' }
  /** A list of objects of one shape. `one`: what one of them is called. */
  | { readonly kind: 'rows'; readonly fields: readonly Field[]; readonly one: string }
  /** The fields of an object, together. */
  | { readonly kind: 'group'; readonly fields: readonly Field[] }
  | { readonly kind: 'workflow' }
  | { readonly kind: 'code' }
  | { readonly kind: 'text'; readonly style?: TextStyle }
  /** Usually one expression, which may be typed without braces. */
  | { readonly kind: 'expression' }
  | { readonly kind: 'files'; readonly files: FileField }
  /** The JSON Schema of a form. */
  | { readonly kind: 'form' }
  | { readonly kind: 'json' };

/** What a text is, which a person's browser or keyboard may support. */
type TextStyle = 'long' | 'email' | 'url';

/** A field of a form, created from a property of a JSON Schema. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** The default if it is empty. */
  readonly fallback: JsonValue | undefined;
  readonly kind: Kind;
}

/**
 * Returns the fields of an object's schema in its order, the required ones first.
 * @param inputs names of inputs that the schema does not imply, by field.
 */
export function toFields(schema: JsonValue, inputs: Readonly<Record<string, string>> = {}): Field[] {
  const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {};
  return requiredFirst(fieldsOf(schema)).map((field) =>
    inLanguage({ ...field, kind: inputOf(inputs[field.name], properties[field.name]) ?? field.kind }),
  );
}

function inputOf(input: string | undefined, schema: JsonValue | undefined): Kind | undefined {
  if (input === 'group') return { kind: 'group', fields: requiredFirst(fieldsOf(schema ?? null)) };
  return INPUTS.get(input ?? '');
}

/**
 * Returns the fields that are for an object: without those that are shown only while another field has a certain value,
 * unless they have a value themselves.
 * @param shownFor values of other fields, by field.
 */
export function fieldsFor(
  fields: readonly Field[],
  shownFor: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
  value: JsonObject,
): readonly Field[] {
  const valueOf = (name: string): JsonValue | undefined =>
    Object.hasOwn(value, name) ? value[name] : fields.find((field) => field.name === name)?.fallback;
  return fields.filter(
    ({ name }) =>
      Object.hasOwn(value, name) ||
      Object.entries(shownFor[name] ?? {}).every(([other, values]) => values.some((one) => one === valueOf(other))),
  );
}

function inLanguage(field: Field): Field {
  const { label, description, kind } = field;
  return {
    ...field,
    label: servedText(label),
    description: servedText(description),
    kind: kindInLanguage(kind),
  };
}

function kindInLanguage(kind: Kind): Kind {
  if (kind.kind === 'rows') return { ...kind, fields: kind.fields.map(inLanguage), one: servedText(kind.one) };
  return kind.kind === 'group' ? { ...kind, fields: kind.fields.map(inLanguage) } : kind;
}

/** Returns the fields of a human task's form in its author's order, and the data that it starts with. */
export function toTaskForm(schema: JsonValue): { readonly fields: readonly Field[]; readonly start: JsonObject } {
  const fields = fieldsOf(schema);
  // A required checkbox would have to be ticked and unticked to answer no.
  const starts = fields.map(({ name, kind, isRequired, fallback }): [string, JsonValue | undefined] => [
    name,
    fallback ?? (kind.kind === 'flag' && isRequired ? false : undefined),
  ]);
  return {
    // Defaults are submitted, not only shown.
    fields: fields.map((field) => ({ ...field, fallback: undefined })),
    start: Object.fromEntries(starts.filter((start): start is [string, JsonValue] => start[1] !== undefined)),
  };
}

/** The kinds of fields that a node type asks for by name. A field of any other name is what its schema says. */
const INPUTS: ReadonlyMap<string, Kind> = new Map(
  (['code', 'expression', 'form', 'workflow'] satisfies FormInput[]).map((kind) => [kind, { kind }]),
);

/** Sets a member of an object; an empty one is omitted. */
export function withMember(object: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  const { [name]: _, ...others } = object;
  return value === undefined ? others : { ...object, [name]: value };
}

function fieldsOf(schema: JsonValue): Field[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties).flatMap(([name, property]): Field[] =>
    isJsonObject(property) ? [toField(name, property, required.has(name))] : [],
  );
}

function requiredFirst(fields: readonly Field[]): Field[] {
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function toField(name: string, schema: JsonObject, isRequired: boolean): Field {
  const { description } = schema;
  const label = titleOf(schema) ?? labelOf(name);
  return {
    name,
    label,
    description: typeof description === 'string' ? description : '',
    isRequired,
    isSecret: schema.writeOnly === true,
    fallback: schema.default,
    kind: kindOf(schema, label),
  };
}

function kindOf(schema: JsonObject, label: string): Kind {
  const options = optionsOf(schema);
  if (options) return { kind: 'choice', options };
  const files = fileFieldOf(schema);
  if (files) return { kind: 'files', files };
  switch (schema.type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'integer':
    case 'number':
      return { kind: 'number' };
    case 'string':
      return kindOfText(schema);
    case 'array':
      return kindOfList(schema.items, label);
    case 'object':
      return isJsonObject(schema.properties) ? { kind: 'json' } : { kind: 'map' };
    default:
      return { kind: 'json' };
  }
}

function kindOfText({ format, contentMediaType }: JsonObject): Kind {
  switch (format) {
    case 'date':
      return { kind: 'date' };
    case 'date-time':
      return { kind: 'time' };
    case 'email':
      return { kind: 'text', style: 'email' };
    case 'uri':
      return { kind: 'text', style: 'url' };
    default:
      return contentMediaType === 'text/plain' ? { kind: 'text', style: 'long' } : { kind: 'text' };
  }
}

function kindOfList(items: JsonValue | undefined, label: string): Kind {
  if (items === undefined || !isJsonObject(items)) return { kind: 'json' };
  const options = optionsOf(items);
  if (options) return { kind: 'choices', options };
  if (items.type === 'string') return { kind: 'texts' };
  const fields = requiredFirst(fieldsOf(items));
  return fields.length === 0 ? { kind: 'json' } : { kind: 'rows', fields, one: titleOf(items) ?? singularOf(label) };
}

/** Returns the choices of an enum, each once: an input for them refuses duplicates. */
function optionsOf({ enum: values }: JsonObject): readonly string[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const list: readonly unknown[] = values;
  return list.every((value) => typeof value === 'string') ? [...new Set(list)] : undefined;
}

function titleOf({ title }: JsonObject): string | undefined {
  return typeof title === 'string' && title !== '' ? title : undefined;
}

/** `Lines` → `Line`, of a label in English. */
function singularOf(label: string): string {
  return label.replace(/([^s])s$/, '$1');
}

/** `maxResponseBytes` → `Max response bytes`. */
export function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
