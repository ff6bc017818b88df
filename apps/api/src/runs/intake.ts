import { v7 as uuidv7 } from 'uuid';
import { DeckhandError, type Fault, validationFailed } from '@deckhand/contracts';
import {
  acceptExecutions,
  type AcceptRequest,
  type AcceptVerdict,
  type Database,
  failUnqueuedExecutions,
} from '@deckhand/db';
import type { RunQueue } from '@deckhand/queue';
import { createBatcher, type Logger } from '@deckhand/runtime';

/** A run to start. */
export type RunOrder = Omit<AcceptRequest, 'executionId'>;

/** Where runs come in. */
export interface Intake {
  /**
   * Writes a run down and puts it in the queue.
   * @returns its id.
   * @throws DeckhandError NOT_FOUND, FORBIDDEN, NO_ACTIVE_VERSION, VALIDATION_FAILED (unknown trigger),
   * workspace_over_quota; QUEUE_UNAVAILABLE with the `executionId` of the run that is marked failed.
   */
  start(order: RunOrder): Promise<string>;
}

/** Runs of one statement at most, and statements at once. */
const BATCH = { maxSize: 200, concurrency: 2 } as const;
/** Trigger data above this many characters is written by itself, so that no batch grows without bound. */
const BATCHED_CHARACTERS_MAX = 65_536;

/** Runs that arrive together are inserted by one statement and queued by one pipeline. */
export function createIntake(options: { db: Database; queue: RunQueue; logger: Logger }): Intake {
  const { db, queue, logger } = options;
  const insert = createBatcher({ ...BATCH, flush: (requests: AcceptRequest[]) => acceptExecutions(db, requests) });
  const enqueue = createBatcher({ ...BATCH, flush: enqueueAll });

  /** @returns for each run whether it goes on; one that does not is marked failed. */
  async function enqueueAll(ids: string[]): Promise<boolean[]> {
    try {
      await queue.add(ids.map((executionId) => ({ executionId, dispatch: 1 })));
      return ids.map(() => true);
    } catch (error) {
      logger.error({ err: error, executions: ids.length }, 'could not queue runs');
      const failed = await failUnqueuedExecutions(db, ids);
      return ids.map((id) => !failed.has(id));
    }
  }

  async function insertOne(request: AcceptRequest): Promise<AcceptVerdict | undefined> {
    if (request.triggerData.length <= BATCHED_CHARACTERS_MAX) return insert(request);
    const [verdict] = await acceptExecutions(db, [request]);
    return verdict;
  }

  return {
    async start(order) {
      const executionId = uuidv7();
      const verdict = await insertOne({ ...order, executionId });
      if (verdict !== 'accepted') throw refusal(verdict, order);
      if (!(await enqueue(executionId))) throw new DeckhandError('QUEUE_UNAVAILABLE', { extra: { executionId } });
      return executionId;
    },
  };
}

function refusal(verdict: Exclude<AcceptVerdict, 'accepted'> | undefined, order: RunOrder): DeckhandError {
  switch (verdict) {
    case 'forbidden':
      return new DeckhandError('FORBIDDEN', { message: 'This needs the role editor' });
    case 'noVersion':
      return new DeckhandError('NO_ACTIVE_VERSION');
    case 'noTrigger':
      return new DeckhandError('INVALID_STATE', { message: 'The workflow has no trigger to start from' });
    case 'unknownTrigger':
      return validationFailed([unknownTrigger(order.triggerNodeId ?? '')]);
    case 'overQuota':
      return new DeckhandError('workspace_over_quota');
    case 'notFound':
    case undefined:
      return new DeckhandError('NOT_FOUND', { message: 'No such workflow' });
  }
}

function unknownTrigger(id: string): Fault {
  return { path: 'triggerNodeId', message: `"${id}" is no trigger of the latest version` };
}
