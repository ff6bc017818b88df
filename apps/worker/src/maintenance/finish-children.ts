import { answerParents, findParentsOfFinished, type ReleasedExecution } from '@deckhand/db';
import { publishControl, type QueuedRun, type Redis, type RunQueue } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.js';
import { createRowTask, type MaintenanceContext } from './maintenance-context.js';

/** Parents of one transaction at most. */
const BATCH = 500;

/** Lets parents go on that were answered: those that rest get a job, the workers of the others are notified. */
export async function sendAnswered(
  { queue, redis }: { readonly queue: Pick<RunQueue, 'add'>; readonly redis: Redis },
  parents: readonly ReleasedExecution[],
): Promise<void> {
  const held = parents.flatMap(({ executionId, dispatch }) => (dispatch === null ? [executionId] : []));
  await queue.add(parents.flatMap(toQueued));
  if (held.length > 0) await publishControl(redis, { type: 'answer', executionIds: held });
}

/** Lets parents go on whose children are finished, for what a worker that died did not do. */
export function createChildFinishing(context: MaintenanceContext): PeriodicTask {
  const { db } = context;
  return createRowTask(
    {
      name: 'finish_children',
      intervalMs: 1_000,
      work: {
        find: (page) => findParentsOfFinished(db, page),
        idOf: (id) => id,
        act: (parentIds) => answerParents(db, { parentIds }),
        onDone: (parents) => sendAnswered(context, parents),
        maxRows: BATCH,
        budgetMs: 5_000,
      },
    },
    context,
  );
}

/** The job of a run that was released; none for one that rests. */
export function toQueued({ dispatch, ...run }: ReleasedExecution): QueuedRun[] {
  return dispatch === null ? [] : [{ ...run, dispatch }];
}
