/** Limits how many callers hold a permit at the same time, and shares the permits fairly between groups. */
export interface FairSemaphore {
  /**
   * Waits for a permit.
   * @param member a part of the group; the members of a group share its permits fairly, too.
   * @returns a function that releases the permit. Calling it again does nothing.
   * @throws the signal's reason if it aborts first.
   */
  acquire(group: string, signal: AbortSignal, member?: string): Promise<() => void>;
}

/** Hands a permit to a caller that waits. */
type Waiter = () => void;

/**
 * Creates a semaphore. Groups are served round-robin, and so are the members of a group; within a member the first
 * caller comes first. So one run's hundred scripts do not delay another run's only script.
 * @param permits how many callers may hold a permit at the same time.
 * @param permitsPerGroup how many of them one group may hold, so that some stay free for others.
 */
export function createFairSemaphore(permits: number, permitsPerGroup = permits): FairSemaphore {
  let free = permits;
  /** Permits in use by group; groups without any are left out. */
  const inUse = new Map<string, number>();
  /** Waiting callers by group and member. The groups and members to be served next come first. */
  const queues = new Map<string, Map<string, Set<Waiter>>>();

  const isFreeFor = (group: string): boolean => free > 0 && (inUse.get(group) ?? 0) < permitsPerGroup;

  function count(group: string, change: 1 | -1): void {
    free -= change;
    const used = (inUse.get(group) ?? 0) + change;
    if (used === 0) inUse.delete(group);
    else inUse.set(group, used);
  }

  function releaseOnce(group: string): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      count(group, -1);
      serveWaiters();
    };
  }

  function serveWaiters(): void {
    for (const [group, members] of queues) {
      if (free === 0) return;
      if (!isFreeFor(group)) continue;
      // Moved to the end: every other group, and every other member, comes first.
      queues.delete(group);
      queues.set(group, members);
      for (const [member, queue] of members) {
        members.delete(member);
        members.set(member, queue);
        const [waiter] = queue;
        if (waiter === undefined) break;
        dequeue(group, member, waiter);
        count(group, 1);
        waiter();
        break;
      }
    }
  }

  function enqueue(group: string, member: string, waiter: Waiter): void {
    const members = queues.get(group) ?? new Map<string, Set<Waiter>>();
    queues.set(group, members);
    members.set(member, (members.get(member) ?? new Set()).add(waiter));
  }

  function dequeue(group: string, member: string, waiter: Waiter): void {
    const members = queues.get(group);
    const queue = members?.get(member);
    queue?.delete(waiter);
    if (queue?.size === 0) members?.delete(member);
    if (members?.size === 0) queues.delete(group);
  }

  return {
    acquire(group, signal, member = '') {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (isFreeFor(group)) {
        count(group, 1);
        return Promise.resolve(releaseOnce(group));
      }
      return new Promise((resolve, reject) => {
        const waiter = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve(releaseOnce(group));
        };
        const giveUp = (): void => {
          dequeue(group, member, waiter);
          reject(signal.reason as Error);
        };
        enqueue(group, member, waiter);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
