/** The order in which parts are stopped: a part stops before those that it needs. */
const ORDER = ['worker', 'api', 'receiver', 'redis', 'postgres'] as const;

type Role = (typeof ORDER)[number];

/** The running parts of a start. */
export interface Stack {
  /** Adds a function that stops a part. During `stop`, it is called at once. */
  add(role: Role, stop: () => Promise<void>): void;
  isStopping(): boolean;
  /** Stops everything in order. Calls after the first wait for it. */
  stop(): Promise<void>;
}

/** Creates an empty stack. */
export function createStack(): Stack {
  const parts: { role: Role; stop: () => Promise<void> }[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (const role of ORDER) {
      const sameRole = parts.filter((part) => part.role === role);
      await Promise.allSettled(sameRole.map((part) => part.stop()));
    }
  }

  return {
    add(role, stop) {
      parts.push({ role, stop });
      if (stopping !== undefined) void stop();
    },
    isStopping: () => stopping !== undefined,
    stop: () => (stopping ??= stopAll()),
  };
}
