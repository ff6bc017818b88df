/** Number of runs per flow in one scheduling round. */
const RUNS_PER_ROUND = 64;
/** Number of runs of a higher priority per flow and round that overtake the others of their flow. */
const OVERTAKING_PER_ROUND = 8;
/** For how many rounds a run waits longer for each step of a lower priority. */
const ROUNDS_LATER = 16;

/** The highest priority of a run; the lowest is its negative. */
export const MAX_RUN_PRIORITY = 2;

/** The virtual time of the queue, in rounds. All producers share it. */
export interface VirtualTime {
  /** The round being served: that of the first waiting job, or of the last served one if none waits. */
  readonly served: number;
  /** The round that priority 1 stands for. It changes only while no job waits. */
  readonly base: number;
}

/** Assigns positions to jobs, so that a flow with many runs delays itself and not the others. */
export interface FairOrder {
  /** Updates the virtual time. */
  observe(time: VirtualTime): void;
  /** Returns the latest round that was assigned to a job. */
  latest(): number;
  /**
   * Returns the position (1 is first) of the next job of a flow.
   * @param runs the number of runs in the job.
   * @param priority of these runs, from -MAX_RUN_PRIORITY to MAX_RUN_PRIORITY.
   */
  next(flow: string, runs: number, priority?: number): number;
}

/**
 * Creates an order by start-time fair queuing. Each flow has a virtual time, which advances with its runs; the position
 * of a job is the time of its flow. A flow that was idle starts at the round being served: its idle time gives it
 * neither credit nor debt. Virtual time never goes back; otherwise later jobs would overtake those that wait.
 *
 * Priorities of runs order the runs of one flow, and nothing starves. Each priority above 0 has a lane: a few runs per
 * round do not wait behind those that their flow has queued before; further ones have the place that they would have
 * without a priority. All are placed a round earlier for each step, before those of the round being served. So with two
 * lanes, other runs of the flow and other flows wait for at most a quarter more runs of it, and two rounds. Each
 * priority below 0 is placed some rounds later, which lets that many later runs of the flow overtake it.
 * @param options.maxPriority the largest priority. Jobs beyond it are ordered by arrival, until the base has advanced.
 * @see Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996.
 */
export function createFairOrder({ maxPriority }: { maxPriority: number }): FairOrder {
  // The first round has room before it for runs with priorities: positions begin at 1.
  let served = MAX_RUN_PRIORITY;
  let base = 0;
  let latest = 0;
  /** Flow or lane → start time of its next run, in rounds. Only those ahead of the round being served. */
  const ahead = new Map<string, number>();

  /** Returns the start time of the next run of a flow, in rounds, and counts the runs. */
  function advance(flow: string, runs: number, priority: number): number {
    const start = ahead.get(flow) ?? served;
    if (priority > 0) {
      const lane = `${flow} ${priority}`;
      const inLane = ahead.get(lane) ?? served;
      if (inLane < start) {
        ahead.set(lane, inLane + runs / OVERTAKING_PER_ROUND);
        return inLane;
      }
    }
    ahead.set(flow, start + runs / RUNS_PER_ROUND);
    return start;
  }

  return {
    observe(time) {
      ({ base } = time);
      served = Math.max(served, time.served);
      for (const [flow, start] of ahead) if (start <= served) ahead.delete(flow);
    },
    latest: () => latest,
    next(flow, runs, priority = 0) {
      const round = Math.floor(advance(flow, runs, priority)) - (priority < 0 ? ROUNDS_LATER * priority : priority);
      latest = Math.max(latest, round);
      return Math.min(Math.max(1 + round - base, 1), maxPriority);
    },
  };
}
