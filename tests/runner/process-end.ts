// What test files of a process share is stopped when the process ends.

type Stop = () => Promise<unknown>;

const stops: Stop[] = [];

/** Remembers what to do before the process ends. */
export function onProcessEnd(stop: Stop): void {
  stops.push(stop);
}

/** Does what was remembered, the latest first. What fails does not keep the rest from being done. */
export async function endProcess(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    await stop().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  }
}
