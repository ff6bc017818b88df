import { InvalidArgumentError } from 'commander';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Parses a whole number above 0. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

/** Longest time limit that a timer of Node.js can have, in seconds: about 24 days. */
const MAX_SECONDS = 2_147_483;

/** Parses a time limit in seconds. @throws InvalidArgumentError */
export function timeLimit(text: string): number {
  const seconds = wholeNumber(text);
  if (seconds > MAX_SECONDS) throw new InvalidArgumentError(`It must be at most ${MAX_SECONDS} seconds.`);
  return seconds;
}

/** Parses a time span such as 90s, 30m, 12h or 7d. @returns ms. @throws InvalidArgumentError */
export function timeSpan(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = SECONDS[unit ?? ''];
  if (seconds === undefined) throw new InvalidArgumentError('It must be a number with s, m, h or d, such as 30m.');
  return Number(count) * seconds * 1_000;
}

/** Adds a value to those of a repeatable option. */
export function several(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Creates the parser of a repeatable option that takes one of the known values each time. */
export function oneOfEach<T extends string>(
  known: readonly T[],
): (text: string, before?: readonly T[]) => readonly T[] {
  return (text, before = []) => {
    const value = known.find((one) => one === text);
    if (value === undefined) throw new InvalidArgumentError(`It must be one of ${known.join(', ')}.`);
    return [...before, value];
  };
}

/** Adds `name=value` to the members of a repeatable option. @throws InvalidArgumentError */
export function members(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be name=value.');
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
}
