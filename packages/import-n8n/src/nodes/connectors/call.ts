import { isJsonObject, type JsonObject, type JsonValue, type N8nOperation, type N8nTable } from '@deckhand/contracts';
import type { Scope } from '../../expressions/scope.ts';
import { braced, convertText, convertValue, isExpression, toExpression } from '../../expressions/template.ts';
import { unsupported } from '../../unsupported.ts';
import { isList, lookup, object, show } from '../../workflow.ts';
import { type Conversion, type Converted, incomplete } from '../converter.ts';
import { noteCredential } from '../credentials.ts';
import { eachInLoop } from '../each-in-loop.ts';

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
  const needed = rows.flatMap(({ needs = {} }) => Object.entries(needs));
  const [, missing] = needed.find(([path]) => isMissing(at(parameters, path))) ?? [];
  if (missing !== undefined) return incomplete(conversion, missing);
  const row = rows.find((each) => isMet(each, parameters));
  if (!row?.values) return unsupported(`its parameters are others here: ${choose}`);
  const other = unknownParameter(row, parameters);
  if (other !== undefined) return unsupported(`its parameter ${other} has no equivalent: ${choose}`);
  // Only now: with other parameters, n8n may not need it.
  const required = Object.values(row.values).map((each) => parameterOf(each));
  const absent = required.find(({ path, isOptional }) => !isOptional && isMissing(at(parameters, path)));
  if (absent) return incomplete(conversion, `no ${absent.path}`);
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

function isMissing(given: JsonValue | undefined): boolean {
  const value = given !== undefined && isLocator(given) ? given.value : given;
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
} {
  const [, path = written, optional, once, text] = /^([^?!*]+)(\?)?(!)?(\*)?$/.exec(written) ?? [];
  return { path, isOptional: optional !== undefined, isOnce: once !== undefined, isText: text !== undefined };
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
  { values = {}, fixed = {}, urls = {} }: N8nOperation,
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
    const { path, isOptional, isOnce, isText } = parameterOf(written);
    const given = at(parameters, path);
    if ((given === undefined || given === '') && isOptional) continue;
    if (given === undefined) return unsupported(`its parameter ${path} is missing`);
    put(to, convertLocated(given, { path, url: lookup(urls, path), isText }, isOnce ? once : scope));
  }
  return places;
}

/**
 * Converts a parameter that may be given as an id, a choice of a list, or an address.
 * @param url the pattern by which n8n finds the value of an address.
 * @throws UnsupportedError
 */
export function convertLocated(
  given: JsonValue,
  { path, url, isText }: { path: string; url: string | undefined; isText: boolean },
  scope: Scope,
): JsonValue {
  const { mode, value = '' } = isLocator(given) ? given : { value: given };
  // Members whose values are missing are left out.
  if (isJsonObject(value)) return braced(toExpression(value, scope));
  if (typeof mode === 'string' && !MODES.has(mode)) return unsupported(`its parameter ${path} is given by ${mode}`);
  if (mode !== 'url') return isText && !isList(value) ? convertText(value, scope) : convertValue(value, scope);
  if (url === undefined) return unsupported(`its parameter ${path} is an address`);
  if (isExpression(value)) {
    const text = `(convert.string(${toExpression(value, scope)}) ?? '')`;
    return braced(`${text}.match(/${url.replaceAll('/', '\\/')}/)[1]`);
  }
  const found = findInAddress(url, value);
  return found === undefined
    ? unsupported(`its parameter ${path} is an address of another form`)
    : convertText(found, scope);
}

/** Modes of locators whose requests were compared. */
const MODES = new Set(['id', 'list', 'name', 'url']);

function isLocator(given: JsonValue): given is JsonObject {
  return isJsonObject(given) && Object.hasOwn(given, 'mode') && Object.hasOwn(given, 'value');
}

/** Longest address that is searched, in characters: it may be chosen so that a search takes long. */
const MAX_ADDRESS = 2_000;

/** Returns what a pattern finds in an address, as n8n does. @throws UnsupportedError for a long one. */
export function findInAddress(pattern: string, address: JsonValue): string | undefined {
  const text = show(address);
  if (text.length > MAX_ADDRESS) return unsupported('its address is too long');
  return new RegExp(pattern).exec(text)?.[1];
}
