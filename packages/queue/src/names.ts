import { createHash } from 'node:crypto';

/**
 * Every key and channel in Redis. The braces are a hash tag: all of it lives on one node of a Redis Cluster, as
 * BullMQ's scripts need.
 */
export const QUEUE_PREFIX = '{deckhand}';

/** The queue of runs, of that name in the Redis of each shard (queue-shards.ts). */
export const RUN_QUEUE = 'executions';

/** Sorted set: worker id → time of its last heartbeat, in ms of Redis's clock. */
export const HEARTBEATS_KEY = '{deckhand}:heartbeats';

/** Hash: worker id → its description as JSON. */
export const WORKERS_KEY = '{deckhand}:workers';

/** Hash: `served` and `base`, by which jobs get their priority (fair-order.ts). */
export const VIRTUAL_TIME_KEY = '{deckhand}:queue-time';

/** Key that exists while a worker is asked to drain. */
export function drainRequestKey(workerId: string): string {
  return `${QUEUE_PREFIX}:drain:${workerId}`;
}

/** List: wake-ups for workers that stand by. */
export const WAKE_UPS_KEY = '{deckhand}:wake-ups';

/** The lease of the worker that does the maintenance. */
export const MAINTENANCE_LEASE_KEY = '{deckhand}:reconciler';

/** The workers that take this lease next. */
export const MAINTENANCE_DEPUTIES_KEY = '{deckhand}:maintenance-deputies';

/** Written to check whether Redis accepts writes. */
export const WRITE_PROBE_KEY = '{deckhand}:write-probe';

/** Channel: control messages about runs that workers hold. */
export const CONTROL_CHANNEL = '{deckhand}:control';

/** Channel: ids of changed runs, for those who wait for them. */
export const CHANGES_CHANNEL = '{deckhand}:changes';

/** Hash: a run whose job is named after another run → the name of that job. */
export const JOB_OF_RUN_KEY = '{deckhand}:job-of-run';

/**
 * The limits of requests with a credential to a host: the next free time, the circuit, and the place of a request. An
 * author chooses the host, so its digest stands for it: keys have a bounded length.
 */
export function trafficKeys(credentialId: string, host: string, ticket: string): [string, string, string] {
  const digest = createHash('sha256').update(host).digest('base64url');
  const prefix = `${QUEUE_PREFIX}:traffic:${credentialId.toLowerCase()}:${digest}`;
  return [`${prefix}:rate`, `${prefix}:circuit`, `${prefix}:ticket:${ticket}`];
}
