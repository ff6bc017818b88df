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
