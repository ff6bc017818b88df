/** Returns an id that none of the others has: the wanted one, with a number if it is taken. */
export function freeId(others: readonly { readonly id: string }[], wanted: string): string {
  const taken = new Set(others.map(({ id }) => id));
  const stem = wanted === '' ? 'node' : wanted;
  let id = stem;
  for (let number = 2; taken.has(id); number += 1) id = `${stem}${number}`;
  return id;
}
