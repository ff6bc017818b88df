import { type JsonValue, validationFailed } from '@deckhand/contracts';

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

/**
 * Parses `a=1&b=2` (WHATWG URL, 5.1): a body or a query string.
 * @throws DeckhandError VALIDATION_FAILED for too many fields.
 */
export function parseForm(text: string): Record<string, string | string[]> {
  const fields = new Fields<string>();
  // Part by part, because a large body may consist of separators only.
  for (const part of split(text, '&')) {
    for (const [name, value] of new URLSearchParams(part)) fields.add(name, value);
  }
  return fields.toObject();
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
