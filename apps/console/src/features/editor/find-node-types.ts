import type { NodeTypeEntry } from '@deckhand/contracts';

/** The order of categories; others come after them. */
const CATEGORIES = ['trigger', 'action', 'flow', 'data', 'person'];

/** The parts of a node type that a search uses. */
export type Searchable = Pick<NodeTypeEntry, 'type' | 'title' | 'description' | 'category'> & {
  readonly keywords: readonly string[];
};

/**
 * Returns the node types that a search finds, the best match first; without a search all of them, by category. Each
 * word of the search must be found.
 */
export function findNodeTypes<T extends Searchable>(types: readonly T[], search: string): T[] {
  const wanted = normalize(search);
  if (wanted === '') return types.toSorted((one, other) => rank(one) - rank(other));
  return types
    .map((type) => ({ type, score: scoreOf(type, wanted) }))
    .filter(({ score }) => score < Infinity)
    .sort((one, other) => one.score - other.score || rank(one.type) - rank(other.type))
    .map(({ type }) => type);
}

/** Returns how far a node type is from a search: 0 is its title, Infinity is not a match. */
function scoreOf(type: Searchable, wanted: string): number {
  const whole = scoreOfPhrase(type, wanted);
  if (whole < Infinity) return whole;
  const words = wanted.split(' ');
  // Behind every match of the whole search.
  return words.length === 1 ? Infinity : 100 + Math.max(...words.map((word) => scoreOfPhrase(type, word)));
}

function scoreOfPhrase({ type, title, description, keywords }: Searchable, wanted: string): number {
  const name = normalize(title);
  const words = keywords.map(normalize);
  const exact = words.indexOf(wanted);
  if (name === wanted) return 0;
  // Keywords have the best ones first: "error" is rather one type than another.
  if (exact !== -1) return 1 + exact / 100;
  if (name.startsWith(wanted)) return 2;
  if (hasWordStarting(name, wanted)) return 3;
  if (words.some((word) => hasWordStarting(word, wanted))) return 4;
  if (type.includes(wanted)) return 5;
  return hasWordStarting(normalize(description), wanted) ? 6 : Infinity;
}

function hasWordStarting(text: string, start: string): boolean {
  return ` ${text}`.includes(` ${start}`);
}

/** Treats hyphens and other punctuation as spaces: "for-each" is "for each". */
function normalize(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function rank({ category }: Searchable): number {
  const index = CATEGORIES.indexOf(category);
  return index === -1 ? CATEGORIES.length : index;
}
