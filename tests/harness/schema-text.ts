import type { JsonValue } from '@deckhand/contracts';

/** The parts of a JSON Schema that a page shows. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly JsonValue[];
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly 'x-since'?: string;
}

/** Returns the type of a schema in words, with its limits. */
export function typeText(schema: Schema): string {
  if (schema.enum) return schema.enum.map(code).join(', ');
  if (schema.type === undefined) return schema.anyOf ? schema.anyOf.map(typeText).join(', or ') : 'any';
  const names = [schema.type].flat().map((name) => (name === 'array' ? listText(schema.items) : name));
  const { format, pattern } = schema;
  return [names.join(' or '), boundsText(schema), format ?? '', pattern === undefined ? '' : code(pattern)]
    .filter(Boolean)
    .join(', ');
}

function boundsText({ minimum, exclusiveMinimum, maximum, maxLength, maxItems }: Schema): string {
  return [
    ...(minimum === undefined ? [] : [`from ${figure(minimum)}`]),
    ...(exclusiveMinimum === undefined ? [] : [`over ${figure(exclusiveMinimum)}`]),
    ...(maximum === undefined ? [] : [`to ${figure(maximum)}`]),
    ...(maxLength === undefined ? [] : [`up to ${figure(maxLength)} characters`]),
    ...(maxItems === undefined ? [] : [`up to ${figure(maxItems)}`]),
  ].join(' ');
}

function listText(items: Schema | undefined): string {
  if (items === undefined || (items.type === undefined && !items.enum)) return 'list';
  return items.properties
    ? 'list of objects'
    : `list of ${items.enum ? typeText(items) : [items.type].flat().join('/')}`;
}

/** Returns a value as code. */
export function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function figure(value: number): string {
  return value.toLocaleString('en');
}

/** Returns a text for a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
