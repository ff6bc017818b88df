/** What this test file has started, in order. */
const started: { stop(): Promise<unknown> }[] = [];

/** Remembers something to be stopped by `stopAll`. */
export function stopLater<T extends { stop(): Promise<unknown> }>(thing: T): T {
  started.push(thing);
  return thing;
}

/** Stops everything that the harness started for this test file, the youngest first. For `afterAll(stopAll)`. */
export async function stopAll(): Promise<void> {
  for (const thing of started.splice(0).reverse()) await thing.stop();
}
