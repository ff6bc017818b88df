/**
 * Every key and channel in Redis. The braces are a hash tag: all of it lives on one node of a Redis Cluster, as BullMQ's
 * scripts need.
 */
export const QUEUE_PREFIX = '{deckhand}';

/** The queue of runs. To shard by workspace, choose the name here. */
export const RUN_QUEUE = 'executions';

/** Sorted set: worker id → time of its last heartbeat, in ms of Redis's clock. */
export const HEARTBEATS_KEY = '{deckhand}:heartbeats';

/** Hash: worker id → its description as JSON. */
export const WORKERS_KEY = '{deckhand}:workers';

/** Hash: `served` and `base`, by which jobs get their priority (fair-order.ts). */
export const VIRTUAL_TIME_KEY = '{deckhand}:queue-time';

/** There while a worker is asked to drain. */
export function drainRequestKey(workerId: string): string {
  return `${QUEUE_PREFIX}:drain:${workerId}`;
}

/** Who may run the reconciler now. */
export const RECONCILER_LEASE_KEY = '{deckhand}:reconciler';

/** Written to find out whether Redis takes writes. */
export const WRITE_PROBE_KEY = '{deckhand}:write-probe';

/** What a person asked of runs that some worker holds. */
export const CONTROL_CHANNEL = '{deckhand}:control';

/** Ids of runs that changed in a way somebody may wait for. */
export const CHANGES_CHANNEL = '{deckhand}:changes';

/** Hash: a run in a job that is named after another → that job's name. */
export const JOB_OF_RUN_KEY = '{deckhand}:job-of-run';
