import type { JsonValue } from '@deckhand/contracts';
import type { NodeWarning } from '@deckhand/engine';
import { DateTime } from 'luxon';

/** The fields that the letters of a date format stand for; those of a macro such as `D` stand for several. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  G: ['era'],
  y: ['year'],
  M: ['month'],
  L: ['month'],
  d: ['day'],
  o: ['day of the year'],
  E: ['weekday'],
  c: ['weekday'],
  H: ['hour'],
  h: ['hour'],
  m: ['minute'],
  s: ['second'],
  S: ['second fraction'],
  u: ['second fraction'],
  a: ['half of the day'],
  q: ['quarter'],
  k: ['year of the week'],
  W: ['week'],
  Z: ['zone'],
  z: ['zone'],
  D: ['year', 'month', 'day', 'weekday'],
  t: ['hour', 'minute', 'second', 'zone'],
  T: ['hour', 'minute', 'second', 'zone'],
  f: ['year', 'month', 'day', 'weekday', 'hour', 'minute', 'second', 'zone'],
  F: ['year', 'month', 'day', 'weekday', 'hour', 'minute', 'second', 'zone'],
};

/** Quoted text, or one letter, repeated any number of times. */
const TOKEN = /'[^']*(?:'|$)|([A-Za-z])\1*/g;

/**
 * Returns the name of the first field that a format of luxon has twice; undefined when each occurs once at most. Luxon
 * reads by a regular expression that tries every way to share out digits between the fields: with each field once there
 * are some 100,000 ways, and with repeated ones there is no bound.
 */
export function findRepeatedField(format: string): string | undefined {
  const seen = new Set<string>();
  for (const [, letter] of format.matchAll(TOKEN)) {
    for (const field of FIELDS[letter ?? ''] ?? []) {
      if (seen.has(field)) return field;
      seen.add(field);
    }
  }
  return undefined;
}

/** A date whose fields all differ from their letters. */
const SAMPLE = DateTime.fromISO('2026-11-23T14:05:06.789Z', { zone: 'UTC', locale: 'en' });
/** Longest repetition of a letter that is asked for; luxon has none of more than six. */
const MAX_LETTERS = 6;

const known = new Map<string, { readonly writes: boolean; readonly reads: boolean }>();

/**
 * Returns the first letters of a format that luxon has no field for; undefined if there are none. Luxon takes them for
 * text: `YYYY` would be written as it is. @param use whether the format is to read or to write dates: some fields can
 * only be written.
 */
export function findUnknownField(format: string, use: 'reads' | 'writes'): string | undefined {
  for (const [letters, letter] of format.matchAll(TOKEN)) {
    if (letter !== undefined && (letters.length > MAX_LETTERS || !fieldOf(letters)[use])) return letters;
  }
  return undefined;
}

/** Warns of a literal format with letters that luxon has no field for: the node fails. */
export function warnOfFormat(path: string, format: JsonValue | undefined, use: 'reads' | 'writes'): NodeWarning[] {
  if (typeof format !== 'string' || format.includes('{{')) return [];
  const letters = findUnknownField(format, use);
  if (letters === undefined) return [];
  const message = `The node fails: ${letters} is not a field of a date format.`;
  return [{ code: 'DATE_FORMAT_UNKNOWN', path, message }];
}

function fieldOf(letters: string): { readonly writes: boolean; readonly reads: boolean } {
  const found = known.get(letters);
  if (found) return found;
  const text = SAMPLE.toFormat(letters);
  const writes = text !== letters;
  const reads = writes && DateTime.fromFormatExplain(text, letters, { locale: 'en' }).rawMatches !== null;
  known.set(letters, { writes, reads });
  return { writes, reads };
}
