import { type Expression, parseExpressionAt } from 'acorn';
import { unsupported, UnsupportedError } from '../unsupported.ts';
import { readsMissingWithin } from './missing-values.ts';
import { textOf } from './parts.ts';
import { isPrimitive } from './primitives.ts';
import type { Scope } from './scope.ts';
import { Translator } from './translator.ts';

/**
 * Translates an expression of n8n, which is JavaScript, to one of ours.
 * @throws UnsupportedError for what has no equivalent.
 */
export function translate(source: string, scope: Scope): string {
  return translated(source, scope).text;
}

/**
 * Translates an expression with text around it. There, n8n writes lists as "1,2", and objects as "[object Object]";
 * our texts have JSON.
 * @throws UnsupportedError for what has no equivalent.
 */
export function translateWithin(source: string, scope: Scope): string {
  const { text, isPrimitive } = translated(source, scope);
  return isPrimitive ? text : `String(${text} ?? '')`;
}

/** A translated expression, and whether its value can never be a list or an object. */
interface Translated {
  readonly text: string;
  readonly isPrimitive: boolean;
}

/** Translates an expression or, if it has no equivalent, lets a script evaluate it. */
function translated(source: string, scope: Scope): Translated {
  const notes: string[] = [];
  try {
    const result = translatedHere(source, { ...scope, review: (message) => void notes.push(message) });
    for (const note of notes) scope.review(note);
    return result;
  } catch (error) {
    if (!(error instanceof UnsupportedError) || !scope.scripted) throw error;
    try {
      return { text: scope.scripted(source, scope.index), isPrimitive: false };
    } catch (other) {
      // The first reason is that of the expression itself.
      throw other instanceof UnsupportedError ? error : other;
    }
  }
}

function translatedHere(source: string, scope: Scope): Translated {
  if (source.length > MAX_SOURCE) return unsupported(`an expression of more than ${MAX_SOURCE} characters`);
  let parsed: Expression;
  try {
    parsed = parseExpressionAt(source, 0, { ecmaVersion: 2024, sourceType: 'module', preserveParens: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return unsupported(`{{ ${shorten(source)} }} is not a single expression: ${reason}`);
  }
  if (source.slice(parsed.end).replace(/[;\s]/g, '') !== '')
    return unsupported(`{{ ${shorten(source)} }} has statements`);
  const part = new Translator(scope).part(parsed);
  if (parsed.type === 'NewExpression') scope.review('new Date() becomes text as ISO 8601 here');
  if (readsMissingWithin(parsed)) {
    scope.review(`where {{ ${shorten(source)} }} reads a property of nothing, n8n has no value for all of it`);
  }
  return { text: textOf(part), isPrimitive: part.kind === 'date' || part.kind === 'duration' || isPrimitive(parsed) };
}

function shorten(source: string): string {
  return source.length > 200 ? `${source.slice(0, 200)}…` : source;
}

/** Maximum length of an expression of n8n, in characters. */
export const MAX_SOURCE = 10_000;
