import { type JsonObject, type JsonValue, parseJson } from '@deckhand/contracts';
import { braced, convertValue, isExpression, isSingle, toExpression, toJsonText } from '../expressions/template.ts';
import type { Scope } from '../expressions/scope.ts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show } from '../workflow.ts';
import { type Conversion, type Converted, outputOf, single } from './converter.ts';
import { listNode } from './list-node.ts';
import { reviewOthers } from './triggers.ts';

/** A field that an item gets. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly value: JsonValue;
  /** The version of the node. */
  readonly version: number;
}

/** Maximum number of parts of a field's name, which are followed by recursion. */
const MAX_NESTING = 20;

/** Sets fields of each item. */
export function setNode(conversion: Conversion): Converted {
  const { id, node, parameters, input, scope, scopeOfEach, review } = conversion;
  const { dotNotation, ignoreConversionErrors, ...others } = object(parameters.options);
  reviewOthers(others, review);
  if (parameters.duplicateItem === true) review('in n8n, it also returns copies of the item in tests');
  if (parameters.mode === 'raw') return setJson(conversion);
  const fields = fieldsOf(parameters, node.version);
  if (ignoreConversionErrors === true) {
    review('values that cannot be converted fail here, in n8n they are kept (ignoreConversionErrors)');
  }
  if (dotNotation === false && fields.some(({ name }) => isExpression(name) || name.includes('.'))) {
    return unsupported('dots in names of fields that name no inner fields (dotNotation)');
  }
  const keepsInput = keepsFields(parameters, node.version);
  if (fields.some(({ name }) => isExpression(name))) {
    review('names of fields are expressions: in n8n, a dot in a name changes a field of an object');
  }
  if (input.shape === 'one') {
    const isPlain = fields.every(
      // Before version 3, a field whose value is missing is left out.
      ({ name, value }) => !isExpression(name) && !name.includes('.') && (node.version >= 3 || !isExpression(value)),
    );
    if (isPlain && !keepsInput) {
      const values = Object.fromEntries(fields.map((field) => [field.name, valueOf(field, scope)]));
      return single({ id, type: 'set', name: node.name, parameters: { fields: values } }, outputOf(id, 'one'));
    }
    const item = `(${members(fields, scope, keepsInput ? input.text : undefined)})`;
    const set = { id, type: 'set', name: node.name, parameters: { fields: { item: braced(item) } } };
    return single(set, outputOf(id, 'one', '.item'));
  }
  const item = members(fields, scopeOfEach, keepsInput ? 'item' : undefined);
  const items = `${input.text}.map((item, index) => (${item}))`;
  return listNode(conversion, items);
}

/**
 * Returns an object with fields, and with those of what was there before. A field "a.b" changes the field b of a.
 * @param before what was there, if it is kept.
 * @param kept its fields, where it need not be an object.
 */
function members(fields: readonly Field[], scope: Scope, before: string | undefined, kept = before): string {
  const isOwn = ({ name }: Field): boolean => isExpression(name) || !name.includes('.');
  const own = fields.filter(isOwn);
  const inner = Map.groupBy(
    fields.filter((field) => !isOwn(field)),
    ({ name }) => name.slice(0, name.indexOf('.')),
  );
  const texts = own.map((field) => {
    if (inner.has(field.name)) return unsupported(`the field "${field.name}" is set as a whole and in part`);
    const name = isExpression(field.name) ? `[${toExpression(field.name, scope)}]` : JSON.stringify(field.name);
    const value = expressionOf(field, scope);
    // An object leaves out a field whose value is missing. From version 3 on, n8n sets it to null.
    const mayBeMissing = field.type === 'any' && field.version >= 3 && isSingle(field.value);
    return `${name}: ${mayBeMissing ? `(${value} ?? null)` : value}`;
  });
  for (const [name, parts] of inner) {
    const within = parts.map((field) => ({ ...field, name: field.name.slice(name.length + 1) }));
    const beforeThat = before === undefined ? undefined : `${before}?.[${JSON.stringify(name)}]`;
    const changed = members(within, scope, beforeThat, `(typeof ${beforeThat} === 'string' ? {} : ${beforeThat})`);
    // A list gets a member that is not an element, and JSON leaves that out.
    const value = beforeThat === undefined ? changed : `(Array.isArray(${beforeThat}) ? ${beforeThat} : ${changed})`;
    texts.push(`${JSON.stringify(name)}: ${value}`);
  }
  return `{ ${[...(before === undefined ? [] : [`...${kept}`]), ...texts].join(', ')} }`;
}

/** What n8n has in a new node. */
const DEFAULT_JSON = '{ "my_field_1": "value", "my_field_2": 1 }';

function setJson(conversion: Conversion): Converted {
  const { id, node, parameters, input, scope, scopeOfEach, review } = conversion;
  const { jsonOutput = DEFAULT_JSON, options } = parameters;
  if (object(options).dotNotation !== false && (isSingle(jsonOutput) || DOTTED.test(show(jsonOutput)))) {
    review('a dot or bracket in a name of the JSON is part of it, in n8n it changes a field of an object');
  }
  if (isSingle(jsonOutput)) review('null and the text null are an item that is null here, in n8n they fail');
  const within = input.shape === 'one' ? scope : scopeOfEach;
  const json = jsonOf(jsonOutput, within);
  const before = input.shape === 'one' ? input.text : 'item';
  const item = keepsFields(parameters, node.version) ? `({ ...${before}, ...${json} })` : json;
  if (input.shape === 'list') return listNode(conversion, `${input.text}.map((item, index) => (${item}))`);
  const set = { id, type: 'set', name: node.name, parameters: { fields: { data: braced(item) } } };
  return single(set, outputOf(id, 'one', '.data'));
}

/** The text of JSON with a name that n8n takes for a path. */
const DOTTED = /"[^".[]*[.[][^"]*"\s*:/;

/** Returns an expression for JSON text whose expressions write JSON into it: n8n evaluates them, and then parses. */
function jsonOf(given: JsonValue, scope: Scope): string {
  if (!isExpression(given)) return toExpression(parsed('the JSON', given, 'object'), scope);
  scope.review('JSON that is not valid once its expressions are evaluated fails here, n8n tries to repair it');
  if (!isSingle(given)) return `convert.object(${toJsonText(given, scope)})`;
  return `convert.object(convert.string(${toExpression(`=${given.replace(/^=+/, '').trim()}`, scope)}))`;
}

/** The types of fields before version 3, in the order in which n8n sets them. */
const FIRST_TYPES = ['boolean', 'number', 'string'];

function fieldsOf(parameters: JsonObject, version: number): Field[] {
  if (version >= 3.3) {
    return list(object(parameters.assignments).assignments).map((each) => {
      const { name, type = null, value = null } = object(each);
      return { name: nameOf(name), type: show(type), value, version };
    });
  }
  if (version >= 3) {
    return list(object(parameters.fields).values).map((each) => {
      const { name, type = 'stringValue', ...values } = object(each);
      const kind = show(type);
      const value = Object.hasOwn(values, kind) ? values[kind] : lookup(OMITTED, kind);
      return { name: nameOf(name), type: kind.replace(/Value$/, ''), value: value ?? '', version };
    });
  }
  const values = object(parameters.values);
  return FIRST_TYPES.flatMap((type) =>
    list(values[type]).map((each) => {
      const { name, value = lookup(OMITTED_FIRST, type) ?? '' } = object(each);
      return { name: nameOf(name), type, value, version };
    }),
  );
}

/** The values that exports before version 3.3 omit, if they are not empty text. */
const OMITTED: Readonly<Record<string, string>> = { booleanValue: 'true', objectValue: '={}' };
/** Those before version 3. */
const OMITTED_FIRST: Readonly<Record<string, JsonValue>> = { boolean: false, number: 0 };

function nameOf(name: JsonValue | undefined): string {
  const shown = show(name);
  if (shown.split('.').length > MAX_NESTING) return unsupported(`a field within more than ${MAX_NESTING} others`);
  const isInList = shown.includes('[') || /\.\d+(\.|$)/.test(shown);
  return isInList && !isExpression(shown) ? unsupported(`the field "${shown}" is in a list`) : shown;
}

/** Returns the name of a field. @throws UnsupportedError if it is an expression. */
export function fieldName(name: JsonValue | undefined): string {
  return isExpression(name) ? unsupported('names of fields that are expressions') : show(name);
}

function keepsFields(parameters: JsonObject, version: number): boolean {
  if (version < 3) return parameters.keepOnlySet !== true;
  const include = parameters.include ?? 'all';
  const includes = version < 3.3 ? include !== 'none' : parameters.includeOtherFields === true;
  if (includes && include !== 'all') return unsupported('a part of the fields of the item is kept');
  return includes;
}

/** A literal in the type that the field has, or an expression that is converted to it. */
function valueOf(field: Field, scope: Scope): JsonValue {
  const { type, value } = field;
  if (!isExpression(value)) return convertLiteral(literalOf(field), scope);
  // A text around an expression makes it a text.
  if (type === 'string' && !isSingle(value)) return convertValue(value, scope);
  return braced(expressionOf(field, scope));
}

/** Braces in literal values are not expressions. */
function convertLiteral(value: JsonValue, scope: Scope): JsonValue {
  return isExpression(value) ? value : convertValue(value, scope);
}

function expressionOf(field: Field, scope: Scope): string {
  const { type, value, version } = field;
  if (!isExpression(value)) return toExpression(literalOf(field), scope);
  if (type === 'object' && version < 3.3) return jsonOf(value, scope);
  const expression = toExpression(value, scope);
  if (version < 3) return olderExpression(type, expression, version);
  switch (type) {
    case 'string':
      if (version > 3 && version < 3.2) scope.review('null and missing values are null here, in n8n they fail');
      if (!isSingle(value)) return expression;
      return version === 3
        ? `(convert.string(${expression}) ?? String(${expression}))`
        : `convert.string(${expression})`;
    case 'object':
      scope.review('text fails here if it is an object of JavaScript, but not JSON');
      return `convert.object(${expression})`;
    case 'number':
    case 'boolean':
    case 'array':
      return `convert.${type}(${expression})`;
    case 'any':
      return expression;
    default:
      return unsupported(`fields of the type ${type}`);
  }
}

/** Before version 3, the type of a field hardly matters. */
function olderExpression(type: string, expression: string, version: number): string {
  if (type === 'boolean') return `Boolean(${expression})`;
  if (type === 'number' && version === 2) {
    return `(typeof ${expression} === 'string' && !isNaN(${expression}) ? Number(${expression}) : ${expression})`;
  }
  return expression;
}

/** Returns a value that is not an expression in the type of its field. */
function literalOf({ name, type, value, version }: Field): JsonValue {
  if (version < 3) {
    if (type === 'boolean') return Boolean(value);
    return type === 'number' && version === 2 && typeof value === 'string' && !Number.isNaN(Number(value))
      ? Number(value)
      : value;
  }
  if (value === null && (version > 3 || type !== 'string')) return null;
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'number':
      return Number.isNaN(Number(value)) ? notOfType(name, type) : Number(value);
    case 'boolean': {
      const shown = show(value).trim().toLowerCase();
      const number = shown === 'true' ? 1 : shown === 'false' ? 0 : shown === '' ? NaN : Number(value);
      return number === 0 || number === 1 ? number === 1 : notOfType(name, type);
    }
    case 'array':
    case 'object':
      return parsed(name, value, type);
    case 'any':
      return value;
    default:
      return unsupported(`fields of the type ${type}`);
  }
}

function notOfType(name: string, type: string): never {
  return unsupported(`the value of "${name}" is not of the type ${type}`);
}

/** Returns an array or an object, or that of JSON text. @throws UnsupportedError */
function parsed(name: string, value: JsonValue, type: 'array' | 'object'): JsonValue {
  let json = value;
  try {
    if (typeof value === 'string') json = parseJson(value);
  } catch {
    return notOfType(name, type);
  }
  const isOfType = type === 'array' ? Array.isArray(json) : typeof json === 'object' && !Array.isArray(json);
  return isOfType ? json : notOfType(name, type);
}
