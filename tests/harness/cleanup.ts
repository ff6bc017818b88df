import { AsyncLocalStorage } from 'node:async_hooks';
import { onProcessEnd } from '../runner/process-end.ts';

interface Stoppable {
  stop(): Promise<unknown>;
}

/** What this test file has started, in order. */
const started: Stoppable[] = [];

/** What is started for the whole process instead, while that happens. */
const forProcess = new AsyncLocalStorage<Stoppable[]>();

/** Remembers something to be stopped by `stopAll`. */
export function stopLater<T extends Stoppable>(thing: T): T {
  (forProcess.getStore() ?? started).push(thing);
  return thing;
}

/** Stops everything that the harness started for this test file, the youngest first. For `afterAll(stopAll)`. */
export async function stopAll(): Promise<void> {
  for (const thing of started.splice(0).reverse()) await thing.stop();
}

/**
 * Returns a function that starts something once for all test files of this process: when it is called first. What that
 * starts is stopped when the process ends.
 */
export function onceInProcess<T>(start: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    if (running) return running;
    const things: Stoppable[] = [];
    onProcessEnd(async () => {
      for (const thing of things.splice(0).reverse()) await thing.stop();
    });
    running = forProcess.run(things, start);
    return running;
  };
}
