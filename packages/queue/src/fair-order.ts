/** Runs of one flow that go before it is the others' turn. */
const RUNS_A_ROUND = 64;
/** The largest priority BullMQ takes. Beyond it, after 134 million runs without one moment of an empty queue, order is by arrival. */
const PRIORITY_MAX = 2_097_152;

/** Gives jobs their place, so that who queues much waits behind itself and not before others. */
export interface FairOrder {
  /** Takes note of the smallest priority that waits; null when nothing does, or nobody knows. */
  observe(head: number | null): void;
  /** The priority (1 is first) of the next job of a flow, which carries so many runs. */
  next(flow: string, runs: number): number;
}

/**
 * Start-time fair queueing: each flow has a time of its own, which its runs move on, and priorities are those times. A flow that
 * was idle begins at the time of what is served now: it neither waits for what it did not use, nor is it owed anything.
 * @see Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996.
 */
export function createFairOrder(): FairOrder {
  let served = 0;
  /** Flow → the time at which its next run starts, in rounds; only of flows that are ahead of what is served. */
  const ahead = new Map<string, number>();
  return {
    observe(head) {
      served = head === null ? 0 : head - 1;
      for (const [flow, time] of ahead) if (head === null || time <= served) ahead.delete(flow);
    },
    next(flow, runs) {
      const start = ahead.get(flow) ?? served;
      ahead.set(flow, start + runs / RUNS_A_ROUND);
      return Math.min(1 + Math.floor(start), PRIORITY_MAX);
    },
  };
}
