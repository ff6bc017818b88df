import type { ExecutionSource, FinishedStatus } from '@deckhand/contracts';
import type { KeyedStart } from '@deckhand/db';
import {
  publishChanges,
  publishControl,
  type QueuedRun,
  type QueueProducer,
  type Redis,
  type RunChange,
} from '@deckhand/queue';
import type { Logger, RunCounters } from '@deckhand/runtime';

/* Counts runs that this worker started or stopped, and notifies others of them, once that is committed. */

/** What announcing runs needs. */
export interface AnnouncingParts {
  readonly queue: Pick<QueueProducer, 'add'>;
  readonly redis: Redis;
  readonly runs: RunCounters;
  readonly logger: Logger;
}

/** A run that was started. */
export interface StartedRun extends Omit<QueuedRun, 'snapshot'> {
  /** Whether it starts later: it needs no job until then. */
  readonly isDelayed?: boolean | undefined;
  /** What a limit by a key did; undefined for a run without one. */
  readonly underKey?: KeyedStart | undefined;
}

/**
 * Queues started runs that may begin, and those that a limit by a key lets begin instead. Notifies of runs that were
 * stopped for them. Never rejects: maintenance finds runs without jobs.
 */
export async function announceStarts(
  parts: AnnouncingParts,
  source: ExecutionSource,
  started: readonly StartedRun[],
): Promise<void> {
  for (const _ of started) parts.runs.accepted(source);
  await announceStops(
    parts,
    started.flatMap(({ underKey }) => underKey?.stopped ?? []),
  );
  const jobs = started.flatMap(({ isDelayed, underKey, ...run }) => underKey?.dispatched ?? (isDelayed ? [] : run));
  await parts.queue.add(jobs).catch((err: unknown) => {
    parts.logger.warn({ err, source, runs: jobs.length }, 'failed to queue started runs, retrying');
  });
}

/** Notifies workers and callers of runs that were stopped. A worker that misses it finds out by its next write. */
export async function announceStops(
  { redis, runs, logger }: Omit<AnnouncingParts, 'queue'>,
  executionIds: readonly string[],
): Promise<void> {
  if (executionIds.length === 0) return;
  runs.finished('stopped', executionIds.length);
  try {
    await publishControl(redis, { type: 'stop', executionIds });
    await announceEnds(redis, executionIds, 'stopped');
  } catch (err) {
    logger.warn({ err, runs: executionIds.length }, 'failed to announce stopped runs');
  }
}

/** Notifies those who wait for runs that these have ended. @throws the error of Redis. */
export async function announceEnds(
  redis: Redis,
  executionIds: readonly string[],
  ended: FinishedStatus,
): Promise<void> {
  if (executionIds.length === 0) return;
  await publishChanges(
    redis,
    executionIds.map((executionId): RunChange => ({ executionId, ended })),
  );
}
