import { type JsonValue, parseJson } from '@deckhand/contracts';

/** Whether a value is a text with an expression in it, which any field may hold. */
export function isExpression(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.includes('{{');
}

/** A value as people type it: texts as they are, all else as JSON. */
export function toText(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** What was typed where any JSON fits: an expression, JSON, or else the text itself. */
export function fromText(text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined;
  if (text.includes('{{')) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/**
 * What was typed where a number fits: a number or an expression; anything else is kept as it is, and refused when it is
 * saved.
 */
export function fromNumberText(text: string): JsonValue | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const number = Number(trimmed);
  return Number.isNaN(number) ? text : number;
}
