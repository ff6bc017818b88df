import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';
import type { Logger } from './logger.ts';

/** The share of one owner in a memory budget. */
export interface MemoryAccount {
  /** Sets how many bytes it holds. If the budget is exceeded, the largest account is closed. */
  set(bytes: number): void;
  /** Whether it was closed because it held the most. */
  readonly isRevoked: () => boolean;
  /** Releases all its bytes. May be called again. */
  close(): void;
}

/** Limits how many bytes of large data a process holds. */
export interface MemoryBudget {
  readonly usedBytes: () => number;
  /** Whether more than three quarters are used. Work that can wait should wait. */
  readonly isTight: () => boolean;
  /** Resolves once it is not tight. */
  untilRoom(): Promise<void>;
  /**
   * Opens an empty account.
   * @param group accounts of a group count together, so that many small ones are not spared.
   * @param onRevoked called when the account is closed, because its group held the most bytes, and it the most in the
   *   group. Its owner must release its data.
   */
  open(options: { group?: string; onRevoked?: () => void }): MemoryAccount;
}

interface Entry {
  readonly group: Group;
  bytes: number;
  readonly onRevoked: (() => void) | undefined;
}

interface Group {
  bytes: number;
  readonly entries: Set<Entry>;
}

/** Creates a budget of a number of bytes. */
export function createMemoryBudget(maxBytes: number): MemoryBudget {
  const groups = new Map<string | symbol, Group>();
  let used = 0;
  let waiting: (() => void)[] = [];
  const isTight = (): boolean => used > 0.75 * maxBytes;

  function change(entry: Entry, bytes: number): void {
    used += bytes - entry.bytes;
    entry.group.bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    if (waiting.length === 0 || isTight()) return;
    const resolved = waiting;
    waiting = [];
    for (const resolve of resolved) resolve();
  }

  return {
    usedBytes: () => used,
    isTight,
    untilRoom: () => (isTight() ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
    open({ group: name = Symbol('alone'), onRevoked }) {
      const group: Group = groups.get(name) ?? { bytes: 0, entries: new Set() };
      groups.set(name, group);
      const entry: Entry = { group, bytes: 0, onRevoked };
      group.entries.add(entry);
      const close = (): void => {
        change(entry, 0);
        group.entries.delete(entry);
        if (group.entries.size === 0 && groups.get(name) === group) groups.delete(name);
      };
      return {
        set(bytes) {
          if (!group.entries.has(entry)) return;
          change(entry, bytes);
          while (used > maxBytes) {
            const most = largest([...largest([...groups.values()]).entries]);
            change(most, 0);
            most.group.entries.delete(most);
            most.onRevoked?.();
          }
        },
        isRevoked: () => !group.entries.has(entry),
        close,
      };
    },
  };
}

function largest<T extends { readonly bytes: number }>(list: readonly T[]): T {
  return list.reduce((most, one) => (one.bytes > most.bytes ? one : most));
}

/** Interval of checks whether the process is idle, in ms. */
const INTERVAL_MS = 5_000;
/** Minimum growth of the heap, in bytes, that is worth a collection of about 0.1 s. */
const WORTH_BYTES = 16 * 2 ** 20;
/**
 * Growth, in bytes, for which a process that has just become idle does not wait until it was so for a while. What an
 * idle process allocates by itself is collected from there on: V8 keeps the space for new objects far smaller.
 */
const LARGE_BYTES = 128 * 2 ** 20;

/**
 * Makes an idle process release the memory that its start or its last load took. V8 collects only when something is
 * allocated, which an idle process hardly does: the space for new objects alone would stay at 32 MB.
 * @param options.workSoFar counts the work of the process. It is idle while the count is the same in two checks.
 * @param options.intervalMs interval of the checks in ms, 5 s by default.
 * @returns a function that stops the checks, which do not keep the process alive; and one to be called whenever the
 * process has become idle: after something large it collects at once, so that the next work begins with little memory.
 */
export function collectAtRest(options: { logger: Logger; workSoFar: () => number; intervalMs?: number }): {
  stop: () => void;
  becameIdle: () => void;
} {
  const { logger, workSoFar, intervalMs = INTERVAL_MS } = options;
  let seen = workSoFar();
  let collectedBytes = 0;
  /** The work at the last collection: without further work, there is little to collect. */
  let collectedAt: number | undefined;

  const heapBytes = (): number => getHeapStatistics().total_heap_size;
  const collect = (): void => {
    collectedAt = workSoFar();
    collectGarbage()
      .then(() => {
        collectedBytes = heapBytes();
        logger.debug({ heapBytes: collectedBytes }, 'collected garbage while idle');
      })
      .catch((err: unknown) => logger.warn({ err }, 'failed to collect garbage'));
  };
  const timer = setInterval(() => {
    const before = seen;
    seen = workSoFar();
    const worthBytes = seen === collectedAt ? LARGE_BYTES : WORTH_BYTES;
    if (seen === before && heapBytes() >= collectedBytes + worthBytes) collect();
  }, intervalMs);
  timer.unref();
  return {
    stop: () => clearInterval(timer),
    becameIdle() {
      if (heapBytes() >= collectedBytes + LARGE_BYTES) collect();
    },
  };
}

/** Collects all garbage and releases the pages. V8's `gc()` alone does not release them. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
