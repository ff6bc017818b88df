/** Returns a text parameter of the URL; the router parses numbers, which are converted back. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a parameter of the URL that is one of a list. */
export function choice<T extends string>(choices: readonly T[], value: unknown): T | undefined {
  return choices.find((one) => one === value);
}

/** Returns those of a list that a parameter of the URL names, separated by commas. */
export function choicesOf<T extends string>(choices: readonly T[], value: unknown): T[] {
  const named = text(value)?.split(',') ?? [];
  return choices.filter((one) => named.includes(one));
}

/** Returns a parameter of the URL that names several of a list, separated by commas. */
export function several(choices: readonly string[], value: unknown): string | undefined {
  return text(choicesOf(choices, value).join(','));
}

/** Returns a parameter of the URL that is a whole number from 0. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Removes undefined members, so that URLs stay short. */
export function optional<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Entries of T without some of them have the shape that the return type says.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
