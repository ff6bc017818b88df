import type { Logger } from '@deckhand/runtime';

/** Records when keys or sessions were last used, without a write per request. */
export interface UsageLog {
  /** Records a use. */
  note(id: string): void;
  /** Writes all recorded uses. Called at shutdown. */
  flush(): Promise<void>;
}

/** Minimum interval between two writes of the same key or session, in ms. */
const WRITE_INTERVAL_MS = 60_000;
/** How long uses are gathered before they are written, in ms. */
const GATHER_MS = 250;

/**
 * Gathers uses and writes each id at most once a minute. A failed write is only logged: the next use writes again.
 * @param now a clock in ms.
 */
export function createUsageLog(options: {
  write: (ids: readonly string[]) => Promise<void>;
  logger: Logger;
  now?: () => number;
}): UsageLog {
  const now = options.now ?? Date.now;
  const writtenAt = new Map<string, number>();
  let due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let forgottenAt = now();

  function forget(): void {
    if (now() - forgottenAt < WRITE_INTERVAL_MS) return;
    forgottenAt = now();
    for (const [id, at] of writtenAt) if (forgottenAt - at >= WRITE_INTERVAL_MS) writtenAt.delete(id);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...due];
    due = new Set();
    if (ids.length === 0) return;
    try {
      await options.write(ids);
    } catch (error) {
      for (const id of ids) writtenAt.delete(id);
      options.logger.warn({ err: error }, 'failed to write the last use of keys or sessions');
    }
  }

  return {
    note(id) {
      const at = writtenAt.get(id);
      if (at !== undefined && now() - at < WRITE_INTERVAL_MS) return;
      forget();
      writtenAt.set(id, now());
      due.add(id);
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref();
    },
    flush,
  };
}
