import { isObject } from '../json.ts';

/** A type for a JSON Schema, and those that it refers to by name. */
export interface TypeOfSchema {
  readonly type: string;
  /** Declarations of types, by name; for `$ref`, which may be recursive. */
  readonly named: ReadonlyMap<string, string>;
}

type Schema = Readonly<Record<string, unknown>>;
type Write = (schema: unknown, indent: string) => string;

const NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};
/** Keywords that describe objects or arrays, without a `type`. */
const OF_OBJECTS = ['properties', 'required', 'additionalProperties', 'patternProperties'];
const OF_ARRAYS = ['items', 'prefixItems'];

/**
 * Returns the TypeScript type of the values that a JSON Schema (2020-12) allows. Keywords that types cannot express,
 * such as `pattern` and `minimum`, allow more than the schema. Members that a schema does not name are not allowed,
 * unless it says so itself: otherwise a misspelled name would pass.
 * @param prefix begins the names of declared types.
 */
export function schemaToType(schema: unknown, prefix: string): TypeOfSchema {
  const named = new Map<string, string>();
  const names = new Map<string, string>();
  const type = write(schema, '');
  return { type, named };

  function write(part: unknown, indent: string): string {
    if (part === false) return 'never';
    if (!isObject(part)) return 'unknown';
    const parts = [
      ...(typeof part.$ref === 'string' ? [refer(part.$ref)] : []),
      ...ownType(part, indent),
      ...['anyOf', 'oneOf'].flatMap((keyword) => alternatives(part[keyword], indent)),
      ...(Array.isArray(part.allOf) ? part.allOf.map((one) => write(one, indent)) : []),
    ].filter((one) => one !== 'unknown');
    if (parts.length === 0) return 'unknown';
    return parts.length === 1 ? parts.join('') : parts.map(inParentheses).join(' & ');
  }

  function alternatives(list: unknown, indent: string): readonly string[] {
    return Array.isArray(list) && list.length > 0 ? [union(list.map((one) => write(one, indent)))] : [];
  }

  /** Named before it is written: it may refer to itself. */
  function refer(pointer: string): string {
    const known = names.get(pointer);
    if (known !== undefined) return known;
    const target = find(schema, pointer);
    return target === undefined ? 'unknown' : declare(pointer, target);
  }

  function declare(pointer: string, target: unknown): string {
    const base = `${prefix}_${toPascalCase(decodeToken(pointer.slice(pointer.lastIndexOf('/') + 1))) || 'Root'}`;
    const taken = new Set(names.values());
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}${count}`;
    names.set(pointer, name);
    named.set(name, write(target, ''));
    return name;
  }

  function ownType(part: Schema, indent: string): readonly string[] {
    if ('const' in part) return [literal(part.const)];
    if (Array.isArray(part.enum)) return [union(part.enum.map(literal))];
    const types: readonly unknown[] = Array.isArray(part.type) ? part.type : [part.type ?? impliedType(part)];
    const written = types.flatMap((one) => {
      if (one === 'object') return [objectType(part, indent, write)];
      if (one === 'array') return [arrayType(part, indent, write)];
      return typeof one === 'string' ? [NAMES[one] ?? 'unknown'] : [];
    });
    return written.length === 0 ? [] : [union(written)];
  }
}

function impliedType(schema: Schema): string | undefined {
  if (OF_OBJECTS.some((keyword) => keyword in schema)) return 'object';
  return OF_ARRAYS.some((keyword) => keyword in schema) ? 'array' : undefined;
}

function objectType(schema: Schema, indent: string, write: Write): string {
  const { properties = {}, additionalProperties, patternProperties } = schema;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const inner = `${indent}  `;
  const known = isObject(properties) ? Object.entries(properties) : [];
  const lines = known.flatMap(([name, member]) => [
    ...comment(member, inner),
    `${inner}readonly ${propertyName(name)}${required.includes(name) ? '' : '?'}: ${write(member, inner)};`,
  ]);
  for (const name of required) {
    const isUnknown = typeof name === 'string' && !known.some(([other]) => other === name);
    if (isUnknown) lines.push(`${inner}readonly ${propertyName(name)}: unknown;`);
  }
  // TypeScript demands that the members with names have the type of the others, too.
  if (lines.length > 0) {
    const isOpen = additionalProperties === true || isObject(additionalProperties) || isObject(patternProperties);
    if (isOpen) lines.push(`${inner}readonly [name: string]: unknown;`);
    return `{\n${lines.join('\n')}\n${indent}}`;
  }
  if (additionalProperties === false && !isObject(patternProperties)) return 'Record<string, never>';
  const others = isObject(patternProperties) ? 'unknown' : write(additionalProperties, indent);
  return `{ readonly [name: string]: ${others} }`;
}

function arrayType({ items, prefixItems }: Schema, indent: string, write: Write): string {
  const rest = `readonly ${inParentheses(write(items, indent))}[]`;
  if (!Array.isArray(prefixItems) || prefixItems.length === 0) return rest;
  const first = prefixItems.map((one) => `${inParentheses(write(one, indent))}?`);
  return `readonly [${[...first, ...(items === false ? [] : [`...${rest}`])].join(', ')}]`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `readonly [${value.map(literal).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `readonly ${propertyName(name)}: ${literal(member)}`)
    .join('; ')} }`;
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.includes('unknown')) return 'unknown';
  return distinct.length === 1 ? distinct.join('') : distinct.map(inParentheses).join(' | ');
}

function inParentheses(type: string): string {
  return /^[\w$]+$/.test(type) || /^"[^"]*"$/.test(type) || /^\{[^{}]*\}$/.test(type) ? type : `(${type})`;
}

/** Returns a name of a member, in quotes where TypeScript needs them. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Returns the description of a schema as a comment. */
export function comment(schema: unknown, indent: string): readonly string[] {
  if (!isObject(schema) || typeof schema.description !== 'string' || schema.description.trim() === '') return [];
  const lines = schema.description
    .trim()
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/);
  if (lines.length === 1) return [`${indent}/** ${lines.join('')} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** Returns a text as the name of a type; empty if nothing in it can be a part of one. */
export function toPascalCase(text: string): string {
  const words = text.normalize('NFKD').match(/[A-Za-z0-9]+/g) ?? [];
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Follows the JSON pointer of a `$ref`. */
function find(schema: unknown, reference: string): unknown {
  if (reference === '#') return schema;
  if (!reference.startsWith('#/')) return undefined;
  let at = schema;
  for (const token of reference.slice(2).split('/')) {
    const name = decodeToken(token);
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}

function decodeToken(token: string): string {
  const unescaped = token.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}
