import { isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '@deckhand/contracts';

/** Returns true if a value is a text with an expression, which any field may contain. */
export function isExpression(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.includes('{{');
}

/** Formats a value for editing: texts unchanged, anything else as JSON. */
export function toText(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/**
 * Formats a value as a text that `read` parses to the same value: a text that reads as another value, such as a number,
 * is in quotes.
 */
export function toTextFor(value: JsonValue | undefined, read: (text: string) => JsonValue | undefined): string {
  const text = toText(value);
  if (typeof value !== 'string' || read(text) === value) return text;
  const quoted = JSON.stringify(value);
  return read(quoted) === value ? quoted : text;
}

/** Parses a text for a field of any JSON value: as an expression, as JSON, or else as text. */
export function fromText(text: string): JsonValue | undefined {
  if (text.trim() === '') return undefined;
  if (text.includes('{{')) return text;
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/**
 * Parses a text as a JSON object, an empty text as an empty one; undefined for other texts. Braces in its texts are
 * data.
 */
export function fromObjectText(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const value = parseExactJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a text for a field that usually is one expression: JSON is a value, anything else needs no braces. */
export function fromExpressionText(text: string): JsonValue | undefined {
  const value = fromText(text);
  return value === text && !isExpression(value) ? `{{ ${text.trim()} }}` : value;
}

/**
 * Parses a text for a number field: as a number or an expression. Anything else is kept as it is, and refused by the
 * save.
 */
export function fromNumberText(text: string): JsonValue | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : text;
}
