import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';

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
  /** A list of objects of one shape. */
  | { readonly kind: 'rows'; readonly fields: readonly Field[] }
  | { readonly kind: 'workflow' }
  | { readonly kind: 'code' }
  | { readonly kind: 'text' }
  /** Usually one expression, which may be typed without braces. */
  | { readonly kind: 'expression' }
  | { readonly kind: 'json' };

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

/** Returns the fields of an object's schema in its order, the required ones first. */
export function toFields(schema: JsonValue): Field[] {
  return membersOf(schema).map((field) =>
    field.kind.kind === 'json' && EXPRESSIONS.has(field.name) ? { ...field, kind: { kind: 'expression' } } : field,
  );
}

/** Returns the values that a form for an object shows before it is touched. */
export function shownDefaults(schema: JsonValue): JsonObject {
  return Object.fromEntries(
    membersOf(schema).flatMap(({ name, fallback, isRequired, kind }): [string, JsonValue][] => {
      // A box that is not ticked is a value, too.
      const shown = fallback ?? (isRequired && kind.kind === 'flag' ? false : undefined);
      return shown === undefined ? [] : [[name, shown]];
    }),
  );
}

/** Parameters of built-in types that decide by a value of the run. */
const EXPRESSIONS: ReadonlySet<string> = new Set(['condition', 'items', 'value']);

/** Sets a member of an object; an empty one is omitted. */
export function withMember(object: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  const { [name]: _, ...others } = object;
  return value === undefined ? others : { ...object, [name]: value };
}

function membersOf(schema: JsonValue): Field[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties)
    .flatMap(([name, property]): Field[] =>
      isJsonObject(property) ? [toField(name, property, required.has(name))] : [],
    )
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function toField(name: string, schema: JsonObject, isRequired: boolean): Field {
  return {
    name,
    label: labelOf(name),
    description: typeof schema.description === 'string' ? schema.description : '',
    isRequired,
    isSecret: schema.writeOnly === true,
    fallback: schema.default,
    kind: kindOf(name, schema),
  };
}

function kindOf(name: string, schema: JsonObject): Kind {
  const options = optionsOf(schema);
  if (options) return { kind: 'choice', options };
  switch (schema.type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'integer':
    case 'number':
      return { kind: 'number' };
    case 'string':
      if (schema.format === 'date') return { kind: 'date' };
      if (schema.format === 'date-time') return { kind: 'time' };
      if (name === 'workflowId') return { kind: 'workflow' };
      return name === 'source' ? { kind: 'code' } : { kind: 'text' };
    case 'array':
      return kindOfList(schema.items);
    case 'object':
      return isJsonObject(schema.properties) ? { kind: 'json' } : { kind: 'map' };
    default:
      return { kind: 'json' };
  }
}

function kindOfList(items: JsonValue | undefined): Kind {
  if (items === undefined || !isJsonObject(items)) return { kind: 'json' };
  const options = optionsOf(items);
  if (options) return { kind: 'choices', options };
  if (items.type === 'string') return { kind: 'texts' };
  const fields = membersOf(items);
  return fields.length === 0 ? { kind: 'json' } : { kind: 'rows', fields };
}

function optionsOf({ enum: values }: JsonObject): readonly string[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const list: readonly unknown[] = values;
  return list.every((value) => typeof value === 'string') ? list : undefined;
}

/** `maxResponseBytes` → `Max response bytes`. */
function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
