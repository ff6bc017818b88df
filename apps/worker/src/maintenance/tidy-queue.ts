import type { QueueProducer } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.ts';
import { TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

/** Creates the task that deletes the queue's index of jobs by run when no job is left. */
export function createQueueTidying(queue: Pick<QueueProducer, 'tidy'>): PeriodicTask {
  return { name: 'tidy_queue', intervalMs: 1_000, timeLimitMs: TASK_TIME_LIMIT_MS, run: () => queue.tidy() };
}
