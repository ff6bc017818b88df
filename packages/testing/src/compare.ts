import { isJsonObject, type JsonValue } from '@deckhand/contracts';

/**
 * Compares a value with what is expected of it. Objects may have further members; lists have to be as long.
 * @returns a sentence for each difference, at most 20.
 */
export function differences(actual: JsonValue | undefined, expected: JsonValue, at: string): readonly string[] {
  const found: string[] = [];
  compare(actual, expected, at);
  return found.slice(0, 20);

  function compare(one: JsonValue | undefined, other: JsonValue, path: string): void {
    if (isJsonObject(other)) {
      if (one === undefined || !isJsonObject(one)) report(one, other, path);
      else for (const [name, member] of Object.entries(other)) compare(one[name], member, `${path}.${name}`);
      return;
    }
    if (Array.isArray(other)) {
      const wanted: readonly JsonValue[] = other;
      if (!Array.isArray(one) || one.length !== wanted.length) {
        report(one, other, path);
        return;
      }
      const values: readonly JsonValue[] = one;
      wanted.forEach((item, index) => compare(values[index], item, `${path}[${index}]`));
      return;
    }
    if (one !== other) report(one, other, path);
  }

  function report(one: JsonValue | undefined, other: JsonValue, path: string): void {
    found.push(`${path} is ${show(one)}, and not ${show(other)}`);
  }
}

/** Shows a value in a message, shortened. */
export function show(value: JsonValue | undefined): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
