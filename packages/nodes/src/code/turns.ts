/** Gives out a few places at a time; groups that want one take turns. */
export interface Turns {
  /**
   * Waits for a place.
   * @param member of the group: members of one take turns, too.
   * @returns what gives it back, once; further calls do nothing.
   * @throws the signal's reason when it aborts before.
   */
  take(group: string, signal: AbortSignal, member?: string): Promise<() => void>;
}

/** Someone in line. */
type Waiter = () => void;

/**
 * Creates the places. Within a member of a group the first comes first; between the members, and between groups, each
 * gets one place in its turn, however many of one are in line, so that one run's hundred scripts do not stand before
 * another's only one.
 * @param perGroup places of one group at most, so that others find one however long its scripts run.
 */
export function createTurns(places: number, perGroup = places): Turns {
  let free = places;
  /** How many places groups hold; those without any are left out. */
  const held = new Map<string, number>();
  /** Groups, and of each the members, with someone in line, the next one first. */
  const lines = new Map<string, Map<string, Set<Waiter>>>();

  const isFreeFor = (group: string): boolean => free > 0 && (held.get(group) ?? 0) < perGroup;

  function hold(group: string, change: 1 | -1): void {
    free -= change;
    const count = (held.get(group) ?? 0) + change;
    if (count === 0) held.delete(group);
    else held.set(group, count);
  }

  function place(group: string): () => void {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      hold(group, -1);
      callNext();
    };
  }

  function callNext(): void {
    for (const [group, members] of lines) {
      if (free === 0) return;
      if (!isFreeFor(group)) continue;
      // At the end again: every other group, and every other member, comes first.
      lines.delete(group);
      lines.set(group, members);
      for (const [member, line] of members) {
        members.delete(member);
        members.set(member, line);
        const [waiter] = line;
        if (waiter === undefined) break;
        leave(group, member, waiter);
        hold(group, 1);
        waiter();
        break;
      }
    }
  }

  function join(group: string, member: string, waiter: Waiter): void {
    const members = lines.get(group) ?? new Map<string, Set<Waiter>>();
    lines.set(group, members);
    members.set(member, (members.get(member) ?? new Set()).add(waiter));
  }

  function leave(group: string, member: string, waiter: Waiter): void {
    const members = lines.get(group);
    const line = members?.get(member);
    line?.delete(waiter);
    if (line?.size === 0) members?.delete(member);
    if (members?.size === 0) lines.delete(group);
  }

  return {
    take(group, signal, member = '') {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (isFreeFor(group)) {
        hold(group, 1);
        return Promise.resolve(place(group));
      }
      return new Promise((resolve, reject) => {
        const waiter = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve(place(group));
        };
        const giveUp = (): void => {
          leave(group, member, waiter);
          reject(signal.reason as Error);
        };
        join(group, member, waiter);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
