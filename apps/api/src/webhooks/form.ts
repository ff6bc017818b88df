import { type JsonValue, validationFailed } from '@deckhand/contracts';

/** Fields of one form at most. */
const FIELDS_MAX = 10_000;

/** Names with their values, as they were sent: one that comes again has a list of them. */
export class Fields<T extends JsonValue> {
  readonly #values = new Map<string, T | T[]>();
  #count = 0;

  /** @throws DeckhandError VALIDATION_FAILED when there are too many. */
  add(name: string, value: T): void {
    this.#count += 1;
    if (this.#count > FIELDS_MAX) {
      throw validationFailed([{ path: 'body', message: `has more than ${FIELDS_MAX} fields` }]);
    }
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else this.#values.set(name, [known, value]);
  }

  /** As an object, whatever the names: `__proto__` is one like any other. */
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
  // Not all at once: a large body may be nothing but separators.
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
