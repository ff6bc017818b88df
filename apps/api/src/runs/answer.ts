import { DeckhandError, type RecordedAnswer, validationFailed } from '@deckhand/contracts';
import { type Actor, type AnswerRequest, answerWait } from '@deckhand/db';
import type { QueuedRun } from '@deckhand/queue';
import type { Services } from '../services.js';
import { tellWorkers } from './tell-workers.js';

/**
 * Records a person's answer and lets the run go on.
 * @throws DeckhandError VALIDATION_FAILED when nothing waits there or somebody decided otherwise, RESUME_PENDING when it is
 * recorded but could not be queued: sent again, it is queued again.
 */
export async function answer(services: Services, actor: Actor, request: AnswerRequest): Promise<RecordedAnswer> {
  const { executionId } = request;
  const outcome = await answerWait(services.db, actor, request);
  switch (outcome.kind) {
    case 'notWaiting':
      throw validationFailed([{ path: 'nodeId', message: 'the run is not waiting for an answer there' }]);
    case 'decidedOtherwise':
      throw validationFailed([{ path: 'nodeId', message: 'somebody has answered already, and differently' }]);
    case 'recorded':
      if (outcome.dispatch === null) {
        await tellWorkers(services, 'answer', [executionId]);
      } else {
        const { workspaceId, dispatch } = outcome;
        await enqueue(services, { workspaceId, executionId, dispatch });
      }
      return { executionId, status: 'running', message: 'Recorded: the run goes on' };
  }
}

async function enqueue({ queue, logger }: Services, run: QueuedRun): Promise<void> {
  const { executionId } = run;
  try {
    await queue.add([run]);
  } catch (cause) {
    logger.warn({ err: cause, executionId }, 'an answered run could not be queued yet');
    throw new DeckhandError('RESUME_PENDING', { cause, extra: { executionId } });
  }
}
