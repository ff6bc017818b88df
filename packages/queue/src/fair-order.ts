/** Number of runs per flow in one scheduling round. */
const RUNS_PER_ROUND = 64;

/** How far the queue has come, in rounds; all producers share it. */
export interface VirtualTime {
  /** The round that is served: that of the first job that waits, or of the last one when nothing waits. */
  readonly served: number;
  /** The round of priority 1. It moves only while nothing waits. */
  readonly base: number;
}

/** Gives jobs their priority, so that a flow that queues much waits behind itself and not before others. */
export interface FairOrder {
  /** Takes note of how far the queue has come. */
  observe(time: VirtualTime): void;
  /** The latest round that a job was given. */
  latest(): number;
  /** The priority (1 is first) of the next job of a flow, which has so many runs. */
  next(flow: string, runs: number): number;
}

/**
 * Start-time fair queuing: each flow has a virtual time of its own, which its runs move on, and priorities are those
 * times. A flow that was idle begins at the time of what is served now: it neither waits for what it did not use, nor
 * is it owed anything. Time never goes back, or jobs that wait would be overtaken by all that come later.
 * @param options.maxPriority the largest priority. Beyond it order is by arrival, until the base has moved on.
 * @see Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996.
 */
export function createFairOrder({ maxPriority }: { maxPriority: number }): FairOrder {
  let served = 0;
  let base = 0;
  let latest = 0;
  /** Flow → the time at which its next run starts, in rounds; only of flows that are ahead of what is served. */
  const ahead = new Map<string, number>();
  return {
    observe(time) {
      ({ base } = time);
      served = Math.max(served, time.served);
      for (const [flow, start] of ahead) if (start <= served) ahead.delete(flow);
    },
    latest: () => latest,
    next(flow, runs) {
      const start = ahead.get(flow) ?? served;
      ahead.set(flow, start + runs / RUNS_PER_ROUND);
      latest = Math.max(latest, Math.floor(start));
      return Math.min(Math.max(1 + Math.floor(start) - base, 1), maxPriority);
    },
  };
}
