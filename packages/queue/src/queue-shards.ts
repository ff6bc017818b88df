import { createHash } from 'node:crypto';
import { createRunQueue } from './bullmq/bullmq-run-queue.ts';
import { connectRedis, type Redis } from './connect.ts';
import type { QueuedRun } from './run-job.ts';
import type { JobState, QueueCounts, RunQueue } from './run-queue.ts';

/**
 * The queues of an instance: each workspace's runs have one of them, its shard. Everything else in Redis (heartbeats,
 * the lease, messages, counters) is shared by all shards.
 */
export interface QueueShards extends QueueProducer {
  /** Returns a shard for its consumer. @throws if there is none with this index. */
  shard(index: number): QueueShard;
  close(): Promise<void>;
}

/** The producing side of all shards. */
export interface QueueProducer {
  /**
   * Queues runs, each in the shard of its workspace. @throws as `RunQueue.add` does; runs of other shards are queued.
   */
  add(runs: readonly QueuedRun[]): Promise<void>;
  /** Returns the state of each run's job, in the same order. @throws as `RunQueue.add` does. */
  jobStates(runs: readonly QueuedRun[]): Promise<JobState[]>;
  /** Returns the counts of all shards together. @throws as `RunQueue.add` does. */
  counts(): Promise<QueueCounts>;
  /** Deletes the indexes of jobs by run of shards without jobs. @throws as `RunQueue.add` does. */
  tidy(): Promise<void>;
}

/** One queue. */
export interface QueueShard {
  readonly redisUrl: string;
  readonly redis: Redis;
  readonly queue: RunQueue;
}

/** What queues are opened with. */
export interface QueueShardsOptions {
  /** The Redis of everything else, whose connection the caller closes. */
  readonly redisUrl: string;
  readonly redis: Redis;
  /** URLs of the Redis servers of the shards; by default there is one shard, in `redis`. */
  readonly shardUrls?: readonly string[] | undefined;
  /** Returns the number of workers that take jobs; 0 if it is not known. */
  readonly takingWorkers?: () => number;
  /** Notified of errors of connections to other servers than `redis`. */
  readonly onError: (error: Error) => void;
}

/**
 * Returns the shard of a workspace. This is the only place that chooses a queue. Each further shard takes over an equal
 * share of the workspaces and leaves the others where they are (rendezvous hashing). Jobs of those that move count as
 * lost where they should be now, so maintenance dispatches their runs again; the earlier jobs then have no effect.
 */
export function shardOf(workspaceId: string, shards: number): number {
  let best = 0;
  let highest = '';
  // Most instances have one shard, for which nothing is computed.
  for (let shard = 0; shards > 1 && shard < shards; shard += 1) {
    const weight = createHash('sha1').update(`${workspaceId} ${shard}`).digest('hex');
    if (weight > highest) [best, highest] = [shard, weight];
  }
  return best;
}

/** Opens the queues. */
export function openQueueShards(options: QueueShardsOptions): QueueShards {
  const { redisUrl, redis, shardUrls = [redisUrl], takingWorkers = () => 0, onError } = options;
  const opened: Redis[] = [];
  const shards = shardUrls.map((url): QueueShard => {
    const connection = url === redisUrl ? redis : connectRedis(url, { role: 'producer' });
    if (connection !== redis) {
      connection.on('error', onError);
      opened.push(connection);
    }
    return { redisUrl: url, redis: connection, queue: createRunQueue(connection, { takingWorkers }) };
  });

  function shard(index: number): QueueShard {
    const found = shards[index];
    if (!found) throw new Error(`there is no shard ${index}`);
    return found;
  }

  /** Calls `act` once per shard with its runs. All calls end, even if one of them fails. */
  async function byShard<Run extends QueuedRun, T>(
    runs: readonly Run[],
    act: (queue: RunQueue, runs: readonly Run[]) => Promise<T>,
  ): Promise<T[]> {
    const groups = Map.groupBy(runs, ({ workspaceId }) => shardOf(workspaceId, shards.length));
    const settled = await Promise.allSettled([...groups].map(([index, group]) => act(shard(index).queue, group)));
    return settled.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  return {
    async add(runs) {
      await byShard(runs, (queue, group) => queue.add(group));
    },
    async jobStates(runs) {
      const states = new Map<QueuedRun, JobState>();
      await byShard(runs, async (queue, group) => {
        const found = await queue.jobStates(group);
        group.forEach((run, index) => states.set(run, found[index] ?? { kind: 'missing' }));
      });
      return runs.map((run) => states.get(run) ?? { kind: 'missing' });
    },
    async counts() {
      const counts = await Promise.all(shards.map(({ queue }) => queue.counts()));
      const sum = (of: (one: QueueCounts) => number) => counts.reduce((total, one) => total + of(one), 0);
      return {
        waiting: sum(({ waiting }) => waiting),
        active: sum(({ active }) => active),
        delayed: sum(({ delayed }) => delayed),
      };
    },
    async tidy() {
      await Promise.all(shards.map(({ queue }) => queue.tidy()));
    },
    shard,
    async close() {
      await Promise.all(shards.map(({ queue }) => queue.close()));
      for (const connection of opened) connection.disconnect();
    },
  };
}
