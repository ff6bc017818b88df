/** Number of runs per flow in one scheduling round. */
const RUNS_PER_ROUND = 64;

/** The virtual time of the queue, in rounds. All producers share it. */
export interface VirtualTime {
  /** The round being served: that of the first waiting job, or of the last served one if none waits. */
  readonly served: number;
  /** The round that priority 1 stands for. It changes only while no job waits. */
  readonly base: number;
}

/** Assigns priorities to jobs, so that a flow with many runs delays itself and not the others. */
export interface FairOrder {
  /** Updates the virtual time. */
  observe(time: VirtualTime): void;
  /** Returns the latest round that was assigned to a job. */
  latest(): number;
  /** Returns the priority (1 is first) of the next job of a flow. `runs`: the number of runs in the job. */
  next(flow: string, runs: number): number;
}

/**
 * Creates an order by start-time fair queuing. Each flow has a virtual time, which advances with its runs; the priority
 * of a job is the time of its flow. A flow that was idle starts at the round being served: its idle time gives it
 * neither credit nor debt. Virtual time never goes back; otherwise later jobs would overtake those that wait.
 * @param options.maxPriority the largest priority. Jobs beyond it are ordered by arrival, until the base has advanced.
 * @see Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996.
 */
export function createFairOrder({ maxPriority }: { maxPriority: number }): FairOrder {
  let served = 0;
  let base = 0;
  let latest = 0;
  /** Flow → start time of its next run, in rounds. Only flows that are ahead of the round being served. */
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
