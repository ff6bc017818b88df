import { endWaitsOfParents, findParentsOfFinished, type ReleasedExecution } from '@deckhand/db';
import { publishControl, type QueuedRun, type Redis, type QueueProducer } from '@deckhand/queue';
import type { PeriodicTask } from '../run-periodically.ts';
import { createRowTask, type MaintenanceContext } from './maintenance-context.ts';

/** Maximum number of parents per transaction. */
const BATCH = 500;

/** Lets answered parents continue: resting ones get a job, and the workers that hold the others are notified. */
export async function sendAnswered(
  { queue, redis }: { readonly queue: Pick<QueueProducer, 'add'>; readonly redis: Redis },
  parents: readonly ReleasedExecution[],
): Promise<void> {
  const held = parents.flatMap(({ executionId, dispatch }) => (dispatch === null ? [executionId] : []));
  await queue.add(parents.flatMap(toQueued));
  if (held.length > 0) await publishControl(redis, { type: 'answer', executionIds: held });
}

/** Creates the task that lets parents of finished children continue, if the worker of a child died before it did so. */
export function createChildFinishing(context: MaintenanceContext): PeriodicTask {
  const { db, metrics } = context;
  let missed: ReadonlySet<string> = new Set();
  return createRowTask(
    {
      name: 'finish_children',
      intervalMs: 1_000,
      work: {
        async find(page) {
          const found = await findParentsOfFinished(db, page);
          missed = new Set(found.flatMap(({ id, isMissed }) => (isMissed ? [id] : [])));
          return found;
        },
        idOf: ({ id }) => id,
        act: (parents) => endWaitsOfParents(db, { parentIds: parents.map(({ id }) => id) }),
        async onDone(parents) {
          metrics.acted('child_end', parents.filter(({ executionId }) => missed.has(executionId)).length);
          await sendAnswered(context, parents);
        },
        maxRows: BATCH,
        budgetMs: 5_000,
      },
    },
    context,
  );
}

/** Returns the job of a released run, or nothing for one that is not dispatched. */
export function toQueued({ dispatch, ...run }: ReleasedExecution): QueuedRun[] {
  return dispatch === null ? [] : [{ ...run, dispatch }];
}
