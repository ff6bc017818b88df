/**
 * Bounds of untrusted JSON, in addition to its length: structures that cost many times more to parse, traverse and
 * serialize than text of the same length.
 */
export const JSON_SHAPE = {
  objectsMax: 200_000,
  arraysMax: 1_000_000,
  /** Distinct names of members. The JavaScript engine never releases a name, or a layout for an order of names. */
  namesMax: 50_000,
} as const;

/** Shorter text, in characters, is cheap whatever it contains. */
const SMALL_CHARS = 256 * 1024;

/** Number of marks for the names that were seen: a power of two, many times `namesMax`, so that few names collide. */
const MARKS = 1 << 20;

/** Random per process, so that nobody can construct names that collide. */
const SEED = randomWord();
const FACTOR = randomWord() | 1;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const SPACE = 0x20;

/**
 * Checks the bounds of `JSON_SHAPE` before JSON is parsed, in time proportional to its length.
 * @param text may be invalid JSON.
 * @returns a message such as "has more than 200,000 objects"; undefined if the text is within the bounds.
 */
export function findJsonExcess(text: string): string | undefined {
  if (text.length < SMALL_CHARS) return undefined;
  const marks = new Uint32Array(MARKS / 32);
  let [objects, arrays, names] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BRACE) objects += 1;
    else if (code === BRACKET) arrays += 1;
    else if (code === QUOTE) {
      const end = endOfString(text, at);
      if (isName(text, end) && mark(marks, text, at + 1, end)) names += 1;
      at = end;
    }
  }
  if (objects > JSON_SHAPE.objectsMax) return tooMany(JSON_SHAPE.objectsMax, 'objects');
  if (arrays > JSON_SHAPE.arraysMax) return tooMany(JSON_SHAPE.arraysMax, 'arrays');
  return names > JSON_SHAPE.namesMax ? tooMany(JSON_SHAPE.namesMax, 'different names of members') : undefined;
}

function tooMany(max: number, what: string): string {
  return `has more than ${max.toLocaleString('en')} ${what}`;
}

/** Returns the index of the closing quote of the string that begins at `start`; the end of the text without one. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Returns true if the string that ends at `end` is the name of a member. */
function isName(text: string, end: number): boolean {
  let next = end + 1;
  while (text.charCodeAt(next) <= SPACE) next += 1;
  return text.charCodeAt(next) === COLON;
}

/** Marks a name. Returns true if its mark is new. */
function mark(marks: Uint32Array, text: string, start: number, end: number): boolean {
  let hash = SEED;
  for (let at = start; at < end; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR);
    hash ^= hash >>> 15;
  }
  const place = (hash >>> 5) & (marks.length - 1);
  const bit = 1 << (hash & 31);
  const word = marks[place] ?? 0;
  marks[place] = word | bit;
  return (word & bit) === 0;
}

function randomWord(): number {
  return Math.trunc(Math.random() * 2 ** 32) | 0;
}
