import { isJsonObject, type JsonObject, type JsonValue, type N8nOperation, type N8nTable } from '@deckhand/contracts';
import type { Scope } from '../../expressions/scope.ts';
import { braced, convertText, convertValue, isExpression, toExpression } from '../../expressions/template.ts';
import { unsupported } from '../../unsupported.ts';
import { isList, lookup, object, show } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete } from '../converter.ts';
import { noteCredential } from '../credentials.ts';
import { eachInLoop } from '../each-in-loop.ts';
import { partOfAddress } from './addresses.ts';

/** Parameters that choose the operation, or are part of every node. */
const COMMON = ['resource', 'operation'];

/** Converts an operation that a connector has exactly so. @throws UnsupportedError for another, with what to choose. */
export function callNode(conversion: Conversion, table: N8nTable): Converted {
  const { node, parameters, review } = conversion;
  const named = nameOf(table, parameters);
  const rows = table.operations.filter((row) => row.n8n === named.name);
  const [first] = rows;
  const { connector, version } = table;
  if (!first) {
    return unsupported(`the connector "${connector}" has no operation that is the same as "${named.name}" of n8n`);
  }
  const choose = `choose the operation "${first.action}" of the connector "${connector}" ${version}`;
  if (node.version < table.from) return unsupported(`it is of an older version: ${choose}`);
  const needed = missingNeed(rows, parameters);
  if (needed !== undefined) return incomplete(conversion, needed);
  const row = rows.find((each) => isMet(each, parameters));
  if (!row?.values) return unsupported(`its parameters are others here: ${choose}`);
  const other = unknownParameter(row, parameters);
  if (other !== undefined) return unsupported(`its parameter ${other} has no equivalent: ${choose}`);
  const missing = missingValue(row, parameters);
  if (missing !== undefined) return incomplete(conversion, `no ${missing}`);
  noteCredential(conversion, `${table.credential} for the connector "${connector}"`);
  for (const each of row.notes ?? []) review(each);
  const { isList: returnsList = false, allPages = false, error, item = 'body' } = row;
  return eachInLoop(conversion, {
    node: (id, scope) => ({
      id,
      type: 'connector',
      name: node.name,
      parameters: {
        connector,
        version,
        operation: row.action,
        values: valuesOf(row, parameters, { scope, once: conversion.scope }),
        ...(allPages && { allPages }),
      },
    }),
    lines: [
      `const bodies = outputs${allPages ? '' : '.map(({ body }) => body)'};`,
      ...(error === undefined ? [] : failing(error)),
      `const make = (body) => (${item});`,
      `const result = bodies.${returnsList ? 'flatMap' : 'map'}(make);`,
    ],
    shape: returnsList ? 'list' : 'one',
    mayBeEmpty: returnsList,
  });
}

function failing(error: string): string[] {
  return [
    `const errorOf = (body) => (${error});`,
    'const wrong = bodies.map(errorOf).find((each) => each !== undefined);',
    'if (wrong !== undefined) throw new Error(String(wrong));',
  ];
}

/** Returns the resource and the operation that a node has, or that its export means without them. */
export function nameOf(table: N8nTable, parameters: JsonObject): { readonly name: string } {
  const { resource = table.resource, operation } = parameters;
  if (isExpression(resource) || isExpression(operation)) return unsupported('an operation that an expression chooses');
  const prefix = `${show(resource)} `;
  if (operation !== undefined) return { name: `${prefix}${show(operation)}` };
  const byDefault = table.operations.find(({ n8n, isDefault }) => isDefault === true && n8n.startsWith(prefix));
  return { name: byDefault?.n8n ?? `${prefix}-` };
}

/** Returns what a node lacks without which n8n runs none of its operations of a name. */
function missingNeed(rows: readonly N8nOperation[], parameters: JsonObject): string | undefined {
  const needs = rows.flatMap((row) => Object.entries(row.needs ?? {}));
  return needs.find(([path]) => isMissing(at(parameters, path)))?.[1];
}

/** Returns the first parameter that a node lacks, and without which its operation fails. */
function missingValue({ values = {} }: N8nOperation, parameters: JsonObject): string | undefined {
  const required = Object.values(values)
    .map(parameterOf)
    .filter(({ isOptional, isObject }) => !isOptional && !isObject);
  return required.find(({ path }) => isMissing(at(parameters, path)))?.path;
}

function isMissing(given: JsonValue | undefined): boolean {
  const value = given !== undefined && isLocator(given) ? (given.value ?? '') : given;
  return value === undefined || value === '';
}

/** Returns a parameter by names with dots. */
function at(parameters: JsonObject, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((value, name) => lookup(object(value), name), parameters);
}

/** Returns whether parameters have the values that an operation needs; null stands for one that is missing. */
function isMet({ when = {} }: N8nOperation, parameters: JsonObject): boolean {
  return Object.entries(when).every(([path, allowed]) => {
    const value = at(parameters, path) ?? null;
    return (isList(allowed) ? allowed : [allowed]).some((each) => each === value);
  });
}

/** A parameter that gives a value, as the table writes it: `text?*`. */
function parameterOf(written: string): {
  readonly path: string;
  readonly isOptional: boolean;
  readonly isOnce: boolean;
  readonly isText: boolean;
  readonly isObject: boolean;
} {
  const [, path = written, marks = ''] = /^([^?!*{]+)(.*)$/.exec(written) ?? [];
  const has = (mark: string): boolean => marks.includes(mark);
  return { path, isOptional: has('?'), isOnce: has('!'), isText: has('*'), isObject: has('{}') };
}

/** Returns the first parameter of an export that an operation does not know. */
function unknownParameter({ values = {}, when = {}, ignored = [] }: N8nOperation, parameters: JsonObject) {
  const known = [...Object.values(values).map((each) => parameterOf(each).path), ...Object.keys(when), ...ignored];
  const find = (value: JsonValue, path: string): string | undefined => {
    if (known.includes(path) || COMMON.includes(path)) return undefined;
    const isInner = path === '' || known.some((each) => each.startsWith(`${path}.`));
    // What an option is added to is an empty object without it.
    if (isJsonObject(value) && (isInner || Object.keys(value).length === 0)) {
      const prefix = path === '' ? '' : `${path}.`;
      return Object.entries(value).reduce<string | undefined>(
        (found, [name, each]) => found ?? find(each, `${prefix}${name}`),
        undefined,
      );
    }
    return path;
  };
  return find(parameters, '');
}

/** Returns the values of an operation. @throws UnsupportedError */
function valuesOf(
  { values = {}, fixed = {}, urls = {}, modes = {} }: N8nOperation,
  parameters: JsonObject,
  { scope, once }: { scope: Scope; once: Scope },
) {
  const places: Record<string, Record<string, JsonValue>> = {};
  const put = (to: string, value: JsonValue): void => {
    const [place = '', ...names] = to.split('.');
    (places[place] ??= {})[names.join('.')] = value;
  };
  for (const [to, value] of Object.entries(fixed)) put(to, value);
  for (const [to, written] of Object.entries(values)) {
    const { path, isOptional, isOnce, isText, isObject } = parameterOf(written);
    const given = at(parameters, path);
    if ((given === undefined || given === '') && isOptional) continue;
    if (given === undefined) return unsupported(`its parameter ${path} is missing`);
    const located = { path, url: lookup(urls, path), modes: lookup(modes, path), isText };
    put(to, isObject ? members(given, path, scope) : convertLocated(given, located, isOnce ? once : scope));
  }
  return places;
}

/** Converts an object of values; those that are missing in a run are left out. @throws UnsupportedError */
function members(given: JsonValue, path: string, scope: Scope): JsonValue {
  return isJsonObject(given)
    ? braced(toExpression(given, scope))
    : unsupported(`its parameter ${path} is not an object`);
}

/** How a parameter may be given, beside as it is. */
interface Location {
  readonly path: string;
  /** The pattern by which n8n finds the value of an address. */
  readonly url: string | undefined;
  /** The modes whose value n8n takes as it is. */
  readonly modes: readonly string[] | undefined;
  readonly isText: boolean;
}

/**
 * Converts a parameter that may be given as an id, a choice of a list, or an address.
 * @throws UnsupportedError
 */
export function convertLocated(given: JsonValue, { path, url, modes = [], isText }: Location, scope: Scope): JsonValue {
  const isLocated = isLocator(given);
  const { mode, value = '' } = isLocated ? given : { value: given };
  if (isJsonObject(value)) return unsupported(`its parameter ${path} is an object of another form`);
  if (!isLocated || modes.some((each) => each === mode)) {
    return isText && !isList(value) ? convertText(value, scope) : convertValue(value, scope);
  }
  if (mode !== 'url') return unsupported(`its parameter ${path} is given by ${show(mode)}`);
  if (url === undefined) return unsupported(`its parameter ${path} is an address`);
  if (isExpression(value)) {
    const text = `(convert.string(${toExpression(value, scope)}) ?? '')`;
    return braced(`${text}.match(/${url.replaceAll('/', '\\/')}/)[1]`);
  }
  const found = partOfAddress(show(value), url);
  return found === undefined
    ? unsupported(`its parameter ${path} is an address of another form`)
    : convertText(found, scope);
}

/** n8n knows such a parameter by these members alone. */
function isLocator(given: JsonValue): given is JsonObject {
  return isJsonObject(given) && Object.hasOwn(given, 'mode') && Object.hasOwn(given, 'value');
}
