import type { JsonValue } from '@deckhand/contracts';
import { unsupported } from '../unsupported.ts';
import { isList } from '../workflow.ts';
import type { Scope } from './scope.ts';
import { translate, translateWithin } from './translate.ts';

/** A part of a text: literal, or an expression of n8n. */
export type Part = { readonly literal: string } | { readonly source: string };

/** A text of n8n is an expression if it begins with "=". */
export function isExpression(value: unknown): value is `=${string}` {
  return typeof value === 'string' && value.startsWith('=');
}

/** Returns the value of a parameter that is an expression without braces, which is a literal text. */
export function literal(value: JsonValue): JsonValue {
  return isExpression(value) && !value.includes('{{') ? value.slice(1) : value;
}

/** Returns whether a text is one expression, with nothing but white space around it: its value need not be text. */
export function isSingle(value: unknown): value is `=${string}` {
  return typeof value === 'string' && /^=+\s*\{\{(?:(?!\}\}).)*\}\}\s*$/s.test(value);
}

/**
 * Converts a parameter of n8n, at any depth, to one of ours: texts that begin with "=" are templates, others are
 * literal.
 * @throws UnsupportedError
 */
export function convertValue(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value === 'string') return isExpression(value) ? toTemplate(value, scope) : escape(value);
  if (isList(value)) return value.map((each) => convertValue(each, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, convertValue(each, scope)]));
}

/** Returns JSON of which nothing is evaluated. */
export function escapeTexts(value: JsonValue): JsonValue {
  if (typeof value === 'string') return escape(value);
  if (isList(value)) return value.map(escapeTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escapeTexts(each)]));
}

/** Converts a parameter that is text, whatever its expression returns. @throws UnsupportedError */
export function convertText(value: JsonValue, scope: Scope): JsonValue {
  if (isSingle(value)) return braced(`convert.string(${toExpression(value, scope)}) ?? ''`);
  return convertValue(typeof value === 'string' ? value : JSON.stringify(value), scope);
}

/** Converts a parameter of n8n to the text of an expression of ours. @throws UnsupportedError */
export function toExpression(value: JsonValue | undefined, scope: Scope): string {
  if (isExpression(value)) return joined(value, scope);
  if (value === undefined) return 'undefined';
  if (isList(value)) return `[${value.map((each) => toExpression(each, scope)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${toExpression(each, scope)}`);
  return `{ ${members.join(', ')} }`;
}

/**
 * Converts JSON text with expressions to an expression for that text. Objects become JSON in it, and missing values
 * null or, within a text of it, "undefined".
 * @throws UnsupportedError
 */
export function toJsonText(value: `=${string}`, scope: Scope): string {
  let isWithinText = false;
  const texts = parse(value).map((part) => {
    if ('literal' in part) {
      if (part.literal.replace(/\\./g, '').split('"').length % 2 === 0) isWithinText = !isWithinText;
      return JSON.stringify(part.literal);
    }
    const expression = translate(part.source, scope);
    return `convert.string(${expression}) ?? ${isWithinText ? `String(${expression})` : "'null'"}`;
  });
  return `[${texts.join(', ')}].join('')`;
}

/** Maximum length of an expression of ours, in characters: longer ones cannot be saved. */
export const MAX_EXPRESSION = 10_000;

/** Returns an expression as a parameter of ours. @throws UnsupportedError if it is too long. */
export function braced(expression: string): string {
  if (expression.length > MAX_EXPRESSION) return unsupported('an expression becomes too long here');
  return `{{ ${expression} }}`;
}

/** Splits a text that is evaluated although it does not begin with "=", as some parameters are. */
export function partsOf(value: string): Part[] {
  return parse(`=${value}`);
}

/** Splits a text as n8n does: an expression ends with the first braces. */
function parse(value: string): Part[] {
  const parts: Part[] = [];
  let position = 1;
  for (;;) {
    const start = value.indexOf('{{', position);
    const literal = value.slice(position, start < 0 ? undefined : start);
    if (literal !== '') parts.push({ literal });
    if (start < 0) return parts;
    const end = value.indexOf('}}', start + 2);
    if (end < 0) return unsupported('an expression has no end');
    if (value[start - 1] === '\\' || value[end - 1] === '\\') return unsupported('braces with a backslash');
    parts.push({ source: value.slice(start + 2, end).trim() });
    position = end + 2;
  }
}

function toTemplate(value: string, scope: Scope): string {
  const parts = parse(value);
  const translateHere = parts.length === 1 ? translate : translateWithin;
  return parts
    .map((part) => ('literal' in part ? escape(part.literal) : braced(translateHere(part.source, scope))))
    .join('');
}

function joined(value: string, scope: Scope): string {
  const parts = parse(value);
  const [first, ...rest] = parts.map((part) =>
    'literal' in part ? JSON.stringify(part.literal) : translate(part.source, scope),
  );
  if (first === undefined) return "''";
  return rest.length === 0 ? first : `[${[first, ...rest].join(', ')}].join('')`;
}

/** Braces in literal text are written with a backslash, and backslashes before them twice. */
function escape(literal: string): string {
  return literal.replace(/(?<!\\)(\\*)\{\{/g, '$1$1\\{{');
}
