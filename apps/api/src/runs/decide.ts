import { parseOwnJson, type RecordedResponse, type SubmitApprovalBody, validationFailed } from '@deckhand/contracts';
import type { Actor } from '@deckhand/db';
import type { AnswerContext } from '../contexts.ts';
import { answer, type Answerer, chosenIteration } from './answer.ts';

/** A decision on an approval. */
interface Decision {
  readonly executionId: string;
  readonly nodeId: string;
  /** Undefined for the only open wait of the node. */
  readonly iteration: string | undefined;
  readonly decision: string;
  readonly comment: string | null;
}

/** Records a decision on an approval, and resumes the run. @throws DeckhandError as `answer`; VALIDATION_FAILED. */
export async function decide(
  context: AnswerContext,
  actor: Actor,
  body: SubmitApprovalBody,
): Promise<RecordedResponse> {
  const node = { executionId: body.executionId.toLowerCase(), nodeId: body.nodeId };
  return recordDecision(context, actor, {
    ...node,
    iteration: chosenIteration(body, node),
    decision: decisionOf(body),
    comment: body.comment ?? null,
  });
}

/** Records a decision of a person or the holder of a link. @throws DeckhandError as `answer`; VALIDATION_FAILED. */
export async function recordDecision(
  context: AnswerContext,
  answerer: Answerer,
  { decision, comment, ...place }: Decision,
): Promise<RecordedResponse> {
  return answer(context, answerer, {
    ...place,
    kind: 'approval',
    action: 'execution.decide',
    toAnswer(details) {
      const { choices } = parseOwnJson<{ choices: string[] }>(details);
      if (!choices.includes(decision)) {
        throw validationFailed([{ path: 'decision', message: `must be one of ${choices.join(', ')}` }]);
      }
      return {
        decision,
        approved: decision === 'approved',
        comment,
        by: answerer.userId,
        at: new Date().toISOString(),
      };
    },
    isSame: (stored) => isSameDecision(stored, { decision, comment }),
    toRecorded({ answer: stored, byUser, at }) {
      if (stored === null) return { decision: null, comment: null, by: null, byUser, at: at.toISOString() };
      const kept = parseOwnJson<StoredDecision>(stored);
      return { decision: kept.decision, comment: kept.comment, by: kept.by, byUser, at: kept.at };
    },
  });
}

/** Returns whether a stored answer is this decision, with the same comment. */
export function isSameDecision(stored: string, { decision, comment }: Pick<Decision, 'decision' | 'comment'>): boolean {
  const kept = parseOwnJson<StoredDecision>(stored);
  return kept.decision === decision && kept.comment === comment;
}

/** A decision as it is stored. */
interface StoredDecision {
  readonly decision: string;
  readonly comment: string | null;
  /** Null for a link. */
  readonly by: string | null;
  readonly at: string;
}

/** Returns the choice that a body names, by `approved`, by `decision`, or by both if they agree. */
function decisionOf({ approved, decision }: SubmitApprovalBody): string {
  const named = approved === undefined ? decision : approved ? 'approved' : 'rejected';
  if (named === undefined) throw validationFailed([{ path: 'decision', message: 'give approved or decision' }]);
  if (decision === undefined || decision === named) return named;
  throw validationFailed([{ path: 'decision', message: `is another than approved: ${String(approved)} says` }]);
}
