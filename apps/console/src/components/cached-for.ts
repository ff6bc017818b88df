/**
 * Returns a function that computes the result for an object once, and returns the same one afterwards. React leaves out
 * what is the same as before.
 */
export function cachedFor<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const cache = new WeakMap<K, V>();
  return (key) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    cache.set(key, value);
    return value;
  };
}
