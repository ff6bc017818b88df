import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';

/** How a field of a form is filled in. */
export type Kind =
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'choices'; readonly options: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'number' }
  | { readonly kind: 'texts' }
  | { readonly kind: 'map' }
  | { readonly kind: 'code' }
  | { readonly kind: 'text' }
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
  return items.type === 'string' ? { kind: 'texts' } : { kind: 'json' };
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
