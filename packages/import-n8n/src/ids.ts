/** Longest id of a node, with room for what further nodes have after it. */
const MAX_LENGTH = 48;

/** Returns a function that gives each name an id of its own, which needs no quotes in expressions. */
export function uniqueIds(names: readonly string[]): (name: string) => string {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of names) {
    const words = name
      .normalize('NFKD')
      .replace(/\p{Mark}+/gu, '')
      .toLowerCase()
      .split(/[^a-z0-9]+/);
    const joined = words
      .filter((word) => word !== '')
      .join('_')
      .slice(0, MAX_LENGTH);
    const base = /^[a-z]/.test(joined) ? joined : `node_${joined}`.replace(/_$/, '');
    let id = base;
    for (let count = 2; taken.has(id); count += 1) id = `${base}_${count}`;
    taken.add(id);
    ids.set(name, id);
  }
  return (name) => ids.get(name) ?? name;
}
