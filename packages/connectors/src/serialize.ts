import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { isList } from './document.ts';
import type { Encoding, Style } from './operation.ts';

/** A part of a query, a form or a cookie: a name, and its value. */
export type Pair = readonly [name: string, value: string];

/** Encodes a name or a value. */
type Encode = (text: string) => string;

const SEPARATORS: Partial<Readonly<Record<Style, string>>> = {
  spaceDelimited: ' ',
  pipeDelimited: '|',
  tabDelimited: '\t',
};

/** Percent-encodes all characters but the unreserved ones (RFC 3986, 2.3). */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Percent-encodes a value of a query in which reserved characters and percent-encoded triples may stand (RFC 6570,
 * 3.2.3), but for those that end it or may not be in a query.
 */
export function encodeWithReserved(text: string): string {
  return text
    .split(/(%[\dA-Fa-f]{2}|[:/?@!$'()*,;=])/)
    .map((part, index) => (index % 2 === 1 ? part : percentEncode(part)))
    .join('');
}

/** Writes a value that is neither a list nor an object; JSON for one that is. */
export function scalarText(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Writes a value of a path or a header (OpenAPI 3.1.1, 4.8.12.5), with the prefix of its style.
 * @param encode of names and values; what separates them stays.
 */
export function writeValue(name: string, value: JsonValue, { style, explode }: Encoding, encode: Encode): string {
  const text = (one: JsonValue): string => encode(scalarText(one));
  const isComposed = isList(value) || isJsonObject(value);
  if (style === 'matrix') {
    if (!isComposed) return value === '' ? `;${encode(name)}` : `;${encode(name)}=${text(value)}`;
    if (!explode) return `;${encode(name)}=${flat(value).map(text).join(',')}`;
    return isList(value)
      ? value.map((one) => `;${encode(name)}=${text(one)}`).join('')
      : Object.entries(value)
          .map(([member, one]) => `;${encode(member)}=${text(one)}`)
          .join('');
  }
  const prefix = style === 'label' ? '.' : '';
  if (!isComposed) return prefix + text(value);
  const separator = style === 'label' && explode ? '.' : encodedSeparator(style, encode);
  const parts = isJsonObject(value) && explode ? pairsOf(value, text, encode) : flat(value).map(text);
  return prefix + parts.join(separator);
}

function pairsOf(value: JsonObject, text: (one: JsonValue) => string, encode: Encode): string[] {
  return Object.entries(value).map(([member, one]) => `${encode(member)}=${text(one)}`);
}

/** The separators of Swagger 2 are encoded with the values. */
function encodedSeparator(style: Style, encode: Encode): string {
  const separator = SEPARATORS[style];
  return separator === undefined ? ',' : encode(separator);
}

/** Returns the items of a list, or the names and values of an object, one after the other. */
function flat(value: JsonValue): readonly JsonValue[] {
  return isJsonObject(value) ? Object.entries(value).flat() : [value].flat();
}

/**
 * Returns the pairs of a value of a query, a form or a cookie. Null is left out, and so is a list without items.
 * @param encode of names and values; what separates them within a pair stays, but for the separators of Swagger 2.
 */
export function toPairs(name: string, value: JsonValue, { style, explode }: Encoding, encode: Encode): Pair[] {
  const text = (one: JsonValue): string => encode(scalarText(one));
  if (value === null) return [];
  if (style === 'deepObject') return deepPairs(encode(name), value, encode);
  if (isList(value)) {
    if (value.length === 0) return [];
    if (explode) return value.map((one): Pair => [encode(name), text(one)]);
  } else if (isJsonObject(value)) {
    if (explode) return Object.entries(value).map(([member, one]): Pair => [encode(member), text(one)]);
  } else {
    return [[encode(name), text(value)]];
  }
  return [[encode(name), flat(value).map(text).join(encodedSeparator(style, encode))]];
}

/** `name[member]`. Below the first level, which OpenAPI leaves open, brackets go on: `name[member][0]`. */
function deepPairs(name: string, value: JsonValue, encode: Encode): Pair[] {
  if (value === null) return [];
  if (!isList(value) && !isJsonObject(value)) return [[name, encode(scalarText(value))]];
  return Object.entries(value).flatMap(([member, one]) =>
    deepPairs(`${name}${encode('[')}${encode(member)}${encode(']')}`, one, encode),
  );
}
