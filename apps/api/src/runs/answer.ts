import {
  DeckhandError,
  iterationOfWait,
  type JsonObject,
  type RecordedResponse,
  shownIteration,
  validationFailed,
  type WaitChoice,
  waitIdOf,
} from '@deckhand/contracts';
import {
  type Actor,
  type AnswerOutcome,
  type AnswerRequest,
  answerWait,
  confirmAnswer,
  type WaitEnd,
} from '@deckhand/db';
import type { Services } from '../services.js';
import { tellWorkers } from './tell-workers.js';

/** An answer to a wait, and how a wait that has ended is shown to a caller who is too late. */
export interface PersonsAnswer extends AnswerRequest {
  readonly toRecorded: (end: WaitEnd) => JsonObject;
  /** Looks at details for which `toAnswer` had no answer. @throws DeckhandError when the answer does not fit them. */
  readonly check?: (details: string, workspaceId: string) => Promise<void>;
}

/**
 * Which iteration of a node a body means, as `AnswerRequest` takes it.
 * @throws DeckhandError VALIDATION_FAILED for a wait that is none of the node's, or another than the iteration's.
 */
export function chosenIteration(
  { iteration, waitId }: WaitChoice,
  node: { readonly executionId: string; readonly nodeId: string },
): string | undefined {
  const given = iteration === undefined ? undefined : String(iteration ?? '');
  if (waitId === undefined) return given;
  const named = iterationOfWait(waitId, node);
  if (named === undefined) throw validationFailed([{ path: 'waitId', message: 'is no wait of this run and node' }]);
  if (given === undefined || given === named) return named;
  throw validationFailed([{ path: 'iteration', message: 'is another than that of waitId' }]);
}

/**
 * Records a person's answer and lets the run go on.
 * @throws DeckhandError NOT_WAITING when nothing waits there; ALREADY_DECIDED, with what is recorded, when another
 * answer or the time ended the wait; SEVERAL_WAITS, which names them, when the request could mean each; RESUME_PENDING
 * when it is recorded but could not be queued: sent again, it is queued again.
 */
export async function answer(services: Services, actor: Actor, request: PersonsAnswer): Promise<RecordedResponse> {
  const { executionId, nodeId } = request;
  const outcome = await answerWait(services.db, actor, request);
  switch (outcome.kind) {
    case 'unchecked':
      if (!request.check) throw new Error('an answer without a check is not checked');
      await request.check(outcome.details, outcome.workspaceId);
      return answer(services, actor, request);
    case 'notWaiting':
      throw new DeckhandError('NOT_WAITING');
    case 'several': {
      const details = outcome.iterations.map((iteration) => ({
        waitId: waitIdOf({ executionId, nodeId, iteration }),
        iteration: shownIteration(iteration),
      }));
      throw new DeckhandError('SEVERAL_WAITS', { details });
    }
    case 'ended': {
      const { end } = outcome;
      const message = end.answer === null ? 'The time to answer was up' : 'Somebody has answered already';
      throw new DeckhandError('ALREADY_DECIDED', { message, extra: { recorded: request.toRecorded(end) } });
    }
    case 'recorded':
      await letGoOn(services, request, outcome);
      return { executionId, status: 'running', message: 'Recorded: the run goes on' };
  }
}

async function letGoOn(
  services: Services,
  { executionId, nodeId }: PersonsAnswer,
  { workspaceId, iteration, dispatch, isUnconfirmed }: Extract<AnswerOutcome, { kind: 'recorded' }>,
): Promise<void> {
  const { queue, db, logger } = services;
  const wait = { executionId, nodeId, iteration };
  try {
    if (dispatch === null) await tellWorkers(services, 'answer', [executionId]);
    else await queue.add([{ workspaceId, executionId, dispatch }]);
    if (isUnconfirmed) await confirmAnswer(db, wait);
  } catch (cause) {
    logger.warn({ err: cause, executionId }, 'an answered run could not be queued yet');
    throw new DeckhandError('RESUME_PENDING', { cause, extra: { executionId, waitId: waitIdOf(wait) } });
  }
}
