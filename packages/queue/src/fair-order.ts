/** Runs of one flow that go before it is the others' turn. */
const RUNS_A_ROUND = 64;
/** The largest priority BullMQ takes. Beyond it order is by arrival, until the base has moved on. */
const PRIORITY_MAX = 2_097_152;

/** How far the queue has come, in rounds; all that queue share it. */
export interface QueueTime {
  /** The round that is served: that of the job which is first in line, or of the last one when nothing waits. */
  readonly served: number;
  /** The round of priority 1. It moves only while nothing waits. */
  readonly base: number;
}

/** Gives jobs their place, so that who queues much waits behind itself and not before others. */
export interface FairOrder {
  /** Takes note of how far the queue has come. */
  observe(time: QueueTime): void;
  /** The latest round that a job was given. */
  latest(): number;
  /** The priority (1 is first) of the next job of a flow, which carries so many runs. */
  next(flow: string, runs: number): number;
}

/**
 * Start-time fair queueing: each flow has a time of its own, which its runs move on, and priorities are those times. A flow that
 * was idle begins at the time of what is served now: it neither waits for what it did not use, nor is it owed anything. Time never
 * goes back, or what waits from before would be overtaken by all that comes after.
 * @see Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996.
 */
export function createFairOrder(): FairOrder {
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
      ahead.set(flow, start + runs / RUNS_A_ROUND);
      latest = Math.max(latest, Math.floor(start));
      return Math.min(Math.max(1 + Math.floor(start) - base, 1), PRIORITY_MAX);
    },
  };
}
