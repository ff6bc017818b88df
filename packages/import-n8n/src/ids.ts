/** Longest id of a node, with room for what the ids of further nodes have after it. */
const MAX_LENGTH = 48;

/**
 * Returns a function that gives each name an id of its own, which needs no quotes in expressions. No id has `__`, so
 * that an id with `__` and more, which further nodes have, is that of no other node.
 */
export function uniqueIds(names: readonly string[]): (name: string) => string {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of names) {
    const words = name
      .normalize('NFKD')
      .replace(/\p{Mark}+/gu, '')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '');
    const base = (/^[a-z]/.test(words[0] ?? '') ? words : ['node', ...words]).join('_');
    let id = cut(base, '');
    for (let count = 2; taken.has(id); count += 1) id = cut(base, `_${count}`);
    taken.add(id);
    ids.set(name, id);
  }
  return (name) => ids.get(name) ?? name;
}

/** Returns an id with an end, cut before it where it would be too long. */
function cut(id: string, end: string): string {
  return `${id.slice(0, MAX_LENGTH - end.length).replace(/_$/, '')}${end}`;
}
