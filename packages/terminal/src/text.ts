import { styleText } from 'node:util';

/** A color or weight of a text. */
export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** A part of a line. Its text comes from anywhere: it is cleaned when it is written. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** A line for people. It has no escape sequences of its own: styles are added after its text was cleaned. */
export type Text = string | Span | readonly (string | Span)[];

/**
 * Characters that would do something to a terminal or a line instead of being shown: control characters (C0, DEL, C1),
 * line separators, and those that change the direction of a text.
 */
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Of these, the ones that JSON may contain as they are. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes a foreign text safe to show in one line: unsafe characters become escapes that JSON would use. */
export function clean(text: string): string {
  return text.replace(UNSAFE, (char) => (char === '\t' ? ' ' : char === '\n' ? '\\n' : escapeOf(char)));
}

/** Formats a value as JSON that is safe to show. It means the same as without the escapes. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE_IN_JSON, escapeOf);
}

function escapeOf(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns the parts of a text. */
export function spansOf(text: Text): readonly Span[] {
  const parts = typeof text === 'string' || 'text' in text ? [text] : text;
  return parts.map((part) => (typeof part === 'string' ? { text: part } : part));
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns what people see as the characters of a text, cleaned. */
function charsOf(text: string): readonly string[] {
  return Array.from(segmenter.segment(clean(text)), ({ segment }) => segment);
}

/** Returns the number of characters that a text takes on a terminal, if each takes one. */
export function lengthOf(text: Text): number {
  return spansOf(text).reduce((sum, span) => sum + charsOf(span.text).length, 0);
}

/**
 * Formats a line for a stream: with styles on a terminal, without them elsewhere or with `NO_COLOR`.
 * @param width cuts a longer line.
 */
export function render(text: Text, stream: NodeJS.WritableStream, width = Infinity): string {
  let left = width;
  let line = '';
  for (const span of spansOf(text)) {
    const chars = charsOf(span.text);
    const shown = chars.length > left ? [...chars.slice(0, Math.max(0, left - 1)), '…'].join('') : chars.join('');
    line += span.style === undefined ? shown : styleText(span.style, shown, { stream });
    left -= chars.length;
    if (left <= 0) break;
  }
  return line;
}
