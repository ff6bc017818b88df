import { type JsonValue, validationFailed } from '@deckhand/contracts';
import { headerText } from '@deckhand/runtime';

/** Maximum number of fields in a form. */
const MAX_FIELDS = 10_000;

/** Fields of a form. A name that occurs more than once has a list of values. */
export class Fields<T extends JsonValue> {
  readonly #values = new Map<string, T | T[]>();
  #count = 0;

  /** Adds a field. @throws DeckhandError VALIDATION_FAILED if there are too many. */
  add(name: string, value: T): void {
    this.#count += 1;
    if (this.#count > MAX_FIELDS) {
      throw validationFailed([{ path: 'body', message: `has more than ${MAX_FIELDS} fields` }]);
    }
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else this.#values.set(name, [known, value]);
  }

  /** Returns the fields as an object. `__proto__` is a name like any other. */
  toObject(): Record<string, T | T[]> {
    return Object.fromEntries(this.#values);
  }
}

/** Decodes a text whose bytes are Latin-1 characters. */
type DecodeText = (bytes: string) => string;

/**
 * Parses `a=1&b=2` (WHATWG URL, 5.1): a body or a query string. Names and values are UTF-8, or Latin-1 where they
 * cannot be UTF-8.
 * @param decode decodes another encoding instead.
 * @throws DeckhandError VALIDATION_FAILED for too many fields.
 */
export function parseForm(text: string, decode?: DecodeText): Record<string, string | string[]> {
  const fields = new Fields<string>();
  // Part by part, because a large body may consist of separators only.
  for (const part of split(text, '&')) {
    if (decode) fields.add(...decodePart(part, decode));
    else for (const [name, value] of new URLSearchParams(part)) fields.add(...repaired(name, value, part));
  }
  return fields.toObject();
}

/** Returns a name and a value, decoded again as Latin-1 if they were not UTF-8. */
function repaired(name: string, value: string, part: string): [string, string] {
  const isSound = !part.includes('%') || !(name + value).includes('\uFFFD');
  return isSound ? [name, value] : decodePart(part, utf8OrLatin1);
}

function utf8OrLatin1(bytes: string): string {
  // Other characters stand in the text as they are: it is not a sequence of bytes.
  return /[^\0-\xff]/.test(bytes) ? bytes : headerText(bytes);
}

function decodePart(part: string, decode: DecodeText): [string, string] {
  const equals = part.indexOf('=');
  const pair = equals === -1 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
  const [name = '', value = ''] = pair.map((encoded) => decode(unescapeBytes(encoded)));
  return [name, value];
}

/** Returns the bytes of a percent-encoded text as Latin-1 characters. */
function unescapeBytes(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function* split(text: string, separator: string): Generator<string> {
  let start = 0;
  while (start <= text.length) {
    const found = text.indexOf(separator, start);
    const end = found === -1 ? text.length : found;
    if (end > start) yield text.slice(start, end);
    start = end + 1;
  }
}
