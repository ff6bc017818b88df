import { DeckhandError, type JsonObject, type RecordedAnswer } from '@deckhand/contracts';
import { type Actor, type AnswerRequest, answerWait, type WaitEnd } from '@deckhand/db';
import type { QueuedRun } from '@deckhand/queue';
import type { Services } from '../services.js';
import { tellWorkers } from './tell-workers.js';

/** An answer to a wait, and how a wait that has ended is shown to a caller who is too late. */
export interface PersonsAnswer extends AnswerRequest {
  readonly toRecorded: (end: WaitEnd) => JsonObject;
  /** Looks at details for which `toAnswer` had no answer. @throws DeckhandError when the answer does not fit them. */
  readonly check?: (details: string, workspaceId: string) => Promise<void>;
}

/**
 * Records a person's answer and lets the run go on.
 * @throws DeckhandError NOT_WAITING when nothing waits there; ALREADY_DECIDED, with what is recorded, when somebody
 * else or the time ended the wait; RESUME_PENDING when it is recorded but could not be queued: sent again, it is queued
 * again.
 */
export async function answer(services: Services, actor: Actor, request: PersonsAnswer): Promise<RecordedAnswer> {
  const { executionId } = request;
  const outcome = await answerWait(services.db, actor, request);
  switch (outcome.kind) {
    case 'unchecked':
      if (!request.check) throw new Error('an answer without a check is not checked');
      await request.check(outcome.details, outcome.workspaceId);
      return answer(services, actor, request);
    case 'notWaiting':
      throw new DeckhandError('NOT_WAITING');
    case 'ended': {
      const { end } = outcome;
      const message = end.answer === null ? 'The time to answer was up' : 'Somebody has answered already';
      throw new DeckhandError('ALREADY_DECIDED', { message, extra: { recorded: request.toRecorded(end) } });
    }
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
