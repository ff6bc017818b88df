/** Returns a function that makes a result when first asked, and keeps it. After a failure, it tries anew. */
export function keepResult<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
