/** Gives out a few places at a time; groups that want one take turns. */
export interface Turns {
  /**
   * Waits for a place.
   * @returns what gives it back, once; further calls do nothing.
   * @throws the signal's reason when it aborts before.
   */
  take(group: string, signal: AbortSignal): Promise<() => void>;
}

/** Someone in line. */
type Waiter = () => void;

/**
 * Creates the places. Within a group the first comes first; between groups each gets one place in its turn, however
 * many of one are in line, so that one run's hundred scripts do not stand before another's only one.
 */
export function createTurns(places: number): Turns {
  let free = places;
  /** Groups with someone in line, the next one first. */
  const lines = new Map<string, Set<Waiter>>();

  function place(): () => void {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      free += 1;
      callNext();
    };
  }

  function callNext(): void {
    for (const [group, line] of lines) {
      if (free === 0) return;
      lines.delete(group);
      const [waiter] = line;
      if (waiter) {
        line.delete(waiter);
        free -= 1;
        waiter();
      }
      // At the end again: every other group comes first.
      if (line.size > 0) lines.set(group, line);
    }
  }

  return {
    take(group, signal) {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(place());
      }
      return new Promise((resolve, reject) => {
        const line = lines.get(group) ?? new Set();
        lines.set(group, line);
        const waiter = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve(place());
        };
        const giveUp = (): void => {
          line.delete(waiter);
          if (line.size === 0 && lines.get(group) === line) lines.delete(group);
          reject(signal.reason as Error);
        };
        line.add(waiter);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
