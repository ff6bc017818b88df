/** Collects the items of a list that comes in pages. @param limit of items; pages after it are not fetched. */
export async function take<T>(items: AsyncIterable<T>, limit = Infinity): Promise<readonly T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= limit) break;
  }
  return taken;
}
