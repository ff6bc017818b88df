import { type JsonObject, type JsonValue, parseJson } from '@deckhand/contracts';
import { braced, convertValue, isExpression, toExpression } from '../expressions/template.ts';
import type { Scope } from '../expressions/scope.ts';
import { unsupported } from '../unsupported.ts';
import { list, object, show } from '../workflow.ts';
import { type Conversion, type Converted, outputOf, single } from './converter.ts';
import { listNode } from './list-node.ts';
import { reviewOthers } from './triggers.ts';

/** A field that an item gets. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly value: JsonValue;
}

/** Maximum number of parts of a field's name, which are followed by recursion. */
const MAX_NESTING = 20;

/** Sets fields of each item. */
export function setNode(conversion: Conversion): Converted {
  const { id, node, parameters, input, scope, scopeOfEach, review } = conversion;
  const { dotNotation, ...others } = object(parameters.options);
  reviewOthers(others, review);
  if (parameters.duplicateItem === true) review('in n8n, it also returns copies of the item in tests');
  if (parameters.mode === 'raw') return setJson(conversion);
  const fields = fieldsOf(parameters, node.version);
  if (dotNotation === false && fields.some(({ name }) => isExpression(name) || name.includes('.'))) {
    return unsupported('dots in names of fields that name no inner fields (dotNotation)');
  }
  const keepsInput = keepsFields(parameters, node.version);
  if (fields.some(({ name }) => isExpression(name))) {
    review('names of fields are expressions: in n8n, a dot in a name changes a field of an object');
  }
  if (input.shape === 'one') {
    const isPlain = fields.every(({ name }) => !isExpression(name) && !name.includes('.'));
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

/** Returns an object with fields, and with those of what was there before. A field "a.b" changes the field b of a. */
function members(fields: readonly Field[], scope: Scope, before: string | undefined): string {
  const isOwn = ({ name }: Field): boolean => isExpression(name) || !name.includes('.');
  const own = fields.filter(isOwn);
  const inner = Map.groupBy(
    fields.filter((field) => !isOwn(field)),
    ({ name }) => name.slice(0, name.indexOf('.')),
  );
  const texts = own.map((field) => {
    if (inner.has(field.name)) return unsupported(`the field "${field.name}" is set as a whole and in part`);
    const name = isExpression(field.name) ? `[${toExpression(field.name, scope)}]` : JSON.stringify(field.name);
    return `${name}: ${expressionOf(field, scope)}`;
  });
  for (const [name, parts] of inner) {
    const within = parts.map((field) => ({ ...field, name: field.name.slice(name.length + 1) }));
    const beforeThat = before === undefined ? undefined : `${before}?.[${JSON.stringify(name)}]`;
    texts.push(`${JSON.stringify(name)}: ${members(within, scope, beforeThat)}`);
  }
  return `{ ${[...(before === undefined ? [] : [`...${before}`]), ...texts].join(', ')} }`;
}

function setJson(conversion: Conversion): Converted {
  const { id, node, parameters, input, scope, scopeOfEach } = conversion;
  if (keepsFields(parameters, node.version)) return unsupported('JSON that is added to the fields of the item');
  const within = input.shape === 'one' ? scope : scopeOfEach;
  const output = toExpression(parameters.jsonOutput ?? '{}', within);
  const isObject = typeof parameters.jsonOutput === 'string' && /^=\s*\{\{.*\}\}\s*$/s.test(parameters.jsonOutput);
  const json = isObject ? output : `JSON.parse(${output})`;
  if (input.shape === 'list') return listNode(conversion, `${input.text}.map((item, index) => (${json}))`);
  const set = { id, type: 'set', name: node.name, parameters: { fields: { data: braced(json) } } };
  return single(set, outputOf(id, 'one', '.data'));
}

function fieldsOf(parameters: JsonObject, version: number): Field[] {
  if (version >= 3.3 || parameters.assignments !== undefined) {
    return list(object(parameters.assignments).assignments).map((each) => {
      const { name, type = 'string', value = '' } = object(each);
      return { name: nameOf(name), type: show(type), value };
    });
  }
  if (version >= 3) {
    return list(object(parameters.fields).values).map((each) => {
      const { name, type = 'stringValue', ...values } = object(each);
      const kind = show(type);
      const value = Object.hasOwn(values, kind) ? values[kind] : undefined;
      return { name: nameOf(name), type: kind.replace(/Value$/, ''), value: value ?? '' };
    });
  }
  return Object.entries(object(parameters.values)).flatMap(([type, fields]) =>
    list(fields).map((each) => ({ name: nameOf(object(each).name), type, value: object(each).value ?? '' })),
  );
}

function nameOf(name: JsonValue | undefined): string {
  const shown = show(name);
  if (shown.split('.').length > MAX_NESTING) return unsupported(`a field within more than ${MAX_NESTING} others`);
  return shown.includes('[') && !isExpression(shown) ? unsupported(`the field "${shown}" is in a list`) : shown;
}

/** Returns the name of a field. @throws UnsupportedError if it is an expression. */
export function fieldName(name: JsonValue | undefined): string {
  return isExpression(name) ? unsupported('names of fields that are expressions') : show(name);
}

function keepsFields(parameters: JsonObject, version: number): boolean {
  if (version < 3) return parameters.keepOnlySet !== true;
  const include = parameters.include ?? 'all';
  const includes = parameters.includeOtherFields ?? (version < 3.3 ? include !== 'none' : false);
  if (includes === true && include !== 'all') return unsupported('a part of the fields of the item is kept');
  return includes === true;
}

/** A literal in the type that the field has, or an expression that is converted to it. */
function valueOf(field: Field, scope: Scope): JsonValue {
  if (isExpression(field.value) && field.type === 'string') {
    const template = convertValue(field.value, scope);
    // A text around an expression makes it a text.
    if (typeof template === 'string' && !/^\{\{.*\}\}$/s.test(template)) return template;
  }
  return isExpression(field.value) ? braced(expressionOf(field, scope)) : convertLiteral(literalOf(field), scope);
}

/** Braces in literal values are not expressions. */
function convertLiteral(value: JsonValue, scope: Scope): JsonValue {
  return isExpression(value) ? value : convertValue(value, scope);
}

function expressionOf(field: Field, scope: Scope): string {
  if (!isExpression(field.value)) return toExpression(literalOf(field), scope);
  const expression = toExpression(field.value, scope);
  // As in n8n, nothing stays nothing in every type.
  const isNothing = `(${expression} ?? null) === null`;
  switch (field.type) {
    case 'string':
      return `(${isNothing} ? null : typeof ${expression} === 'object' ? JSON.stringify(${expression}) : String(${expression}))`;
    case 'number':
      return `(${isNothing} ? null : Number(${expression}))`;
    default:
      return expression;
  }
}

/** Types of fields whose literal values are texts of JSON. */
const PARSED_TYPES: ReadonlySet<string> = new Set(['number', 'boolean', 'array', 'object']);

function literalOf({ name, type, value }: Field): JsonValue {
  if (typeof value !== 'string' || !PARSED_TYPES.has(type)) return value;
  try {
    return parseJson(value);
  } catch {
    return unsupported(`the value of "${name}" is no ${type}`);
  }
}
