import type { JsonValue } from '@deckhand/contracts';
import { unsupported } from '../unsupported.ts';
import { isList } from '../workflow.ts';
import type { Scope } from './scope.ts';
import { translate } from './translate.ts';

/** A part of a text: literal, or an expression of ours. */
type Part = { readonly literal: string } | { readonly expression: string };

/** A text of n8n is an expression if it begins with "=". */
export function isExpression(value: unknown): value is `=${string}` {
  return typeof value === 'string' && value.startsWith('=');
}

/**
 * Converts a parameter of n8n, at any depth, to one of ours: texts that begin with "=" are templates, others are
 * literal.
 * @throws UnsupportedError
 */
export function convertValue(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value === 'string') return isExpression(value) ? toTemplate(parse(value, scope)) : escape(value);
  if (isList(value)) return value.map((each) => convertValue(each, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, convertValue(each, scope)]));
}

/** Converts a parameter of n8n to the text of an expression of ours. @throws UnsupportedError */
export function toExpression(value: JsonValue | undefined, scope: Scope): string {
  if (isExpression(value)) return joined(parse(value, scope));
  if (value === undefined) return 'undefined';
  if (isList(value)) return `[${value.map((each) => toExpression(each, scope)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${toExpression(each, scope)}`);
  return `{ ${members.join(', ')} }`;
}

/** Maximum length of an expression of ours, in characters: longer ones cannot be saved. */
const MAX_EXPRESSION = 10_000;

/** Returns an expression as a parameter of ours. @throws UnsupportedError if it is too long. */
export function braced(expression: string): string {
  if (expression.length > MAX_EXPRESSION) return unsupported('an expression becomes too long here');
  return `{{ ${expression} }}`;
}

/** Splits a text as n8n does: an expression ends with the first braces. */
function parse(value: string, scope: Scope): Part[] {
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
    parts.push({ expression: translate(value.slice(start + 2, end).trim(), scope) });
    position = end + 2;
  }
}

function toTemplate(parts: readonly Part[]): string {
  return parts.map((part) => ('literal' in part ? escape(part.literal) : braced(part.expression))).join('');
}

function joined(parts: readonly Part[]): string {
  const [first, ...rest] = parts;
  if (!first) return "''";
  if (rest.length === 0 && 'expression' in first) return first.expression;
  return `[${parts.map((part) => ('literal' in part ? JSON.stringify(part.literal) : part.expression)).join(', ')}].join('')`;
}

/** Braces in literal text are written with a backslash, and backslashes before them twice. */
function escape(literal: string): string {
  return literal.replace(/(\\*)\{\{/g, '$1$1\\{{');
}
