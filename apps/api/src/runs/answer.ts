import {
  DeckhandError,
  iterationOfWait,
  type JsonObject,
  parseOwnJson,
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
  type LinkHolder,
  type WaitEnd,
} from '@deckhand/db';
import type { AnswerContext } from '../contexts.ts';

/** Who answers: a person, or the unknown holder of a link to the wait. */
export type Answerer = Actor | LinkHolder;

/** An answer to a wait. */
export interface WaitAnswerRequest extends AnswerRequest {
  /** Describes how a wait has ended, for a caller who is too late. */
  readonly toRecorded: (end: WaitEnd) => JsonObject;
  /** Checks the answer against details that `toAnswer` could not check. @throws DeckhandError if it does not fit. */
  readonly check?: (details: string, workspaceId: string) => Promise<void>;
}

/**
 * Returns the iteration of a node that a body names by `iteration` or `waitId`; undefined if it names none.
 * @throws DeckhandError VALIDATION_FAILED if `waitId` belongs to another node, or names another iteration.
 */
export function chosenIteration(
  { iteration, waitId }: WaitChoice,
  node: { readonly executionId: string; readonly nodeId: string },
): string | undefined {
  const given = iteration === undefined ? undefined : String(iteration ?? '');
  if (waitId === undefined) return given;
  const named = iterationOfWait(waitId, node);
  if (named === undefined) throw validationFailed([{ path: 'waitId', message: 'is not a wait of this run and node' }]);
  if (given === undefined || given === named) return named;
  throw validationFailed([{ path: 'iteration', message: 'is another than that of waitId' }]);
}

/**
 * Records an answer and resumes the run. Through a link, it is only recorded if the wait allows that.
 * @throws DeckhandError NOT_WAITING if nothing waits there; ALREADY_DECIDED, with the recorded answer, if another
 * answer or the time ended the wait; SEVERAL_WAITS, with their ids, if the request could mean several; RESUME_PENDING
 * if the answer is recorded but the run could not be queued. Sending it again queues it again.
 */
export async function answer(
  context: AnswerContext,
  answerer: Answerer,
  request: WaitAnswerRequest,
): Promise<RecordedResponse> {
  const { executionId, nodeId } = request;
  const outcome = await answerWait(context.db, answerer, {
    ...request,
    toAnswer(details) {
      if (answerer.userId === null && !allowsLinks(details)) throw new DeckhandError('NOT_WAITING');
      return request.toAnswer(details);
    },
  });
  switch (outcome.kind) {
    case 'unchecked':
      if (!request.check) throw new Error('the answer needs a check that its request does not have');
      await request.check(outcome.details, outcome.workspaceId);
      return answer(context, answerer, request);
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
      await resumeRun(context, request, outcome);
      return { executionId, status: 'running', message: 'Recorded: the run continues' };
  }
}

/** Returns whether the details of a wait permit answers through a link. */
export function allowsLinks(details: string): boolean {
  return parseOwnJson<{ allowLinks?: boolean }>(details).allowLinks === true;
}

async function resumeRun(
  context: AnswerContext,
  { executionId, nodeId }: WaitAnswerRequest,
  { workspaceId, iteration, dispatch, isUnconfirmed }: Extract<AnswerOutcome, { kind: 'recorded' }>,
): Promise<void> {
  const { queue, db, logger } = context;
  const wait = { executionId, nodeId, iteration };
  try {
    if (dispatch === null) await context.notifyWorkers('answer', [executionId]);
    else await queue.add([{ workspaceId, executionId, dispatch }]);
    if (isUnconfirmed) await confirmAnswer(db, wait);
  } catch (cause) {
    logger.warn({ err: cause, executionId }, 'failed to queue a run that got its response, retrying');
    throw new DeckhandError('RESUME_PENDING', { cause, extra: { executionId, waitId: waitIdOf(wait) } });
  }
}
