import { parseOwnJson, type RecordedResponse, type SubmitApprovalBody, validationFailed } from '@deckhand/contracts';
import type { Actor } from '@deckhand/db';
import type { Services } from '../services.js';
import { answer, chosenIteration } from './answer.js';

/** Records a decision on an approval, and resumes the run. @throws DeckhandError as `answer`; VALIDATION_FAILED. */
export async function decide(services: Services, actor: Actor, body: SubmitApprovalBody): Promise<RecordedResponse> {
  const node = { executionId: body.executionId.toLowerCase(), nodeId: body.nodeId };
  const comment = body.comment ?? null;
  const decision = decisionOf(body);
  return answer(services, actor, {
    ...node,
    kind: 'approval',
    action: 'execution.decide',
    iteration: chosenIteration(body, node),
    toAnswer(details) {
      const { choices } = parseOwnJson<{ choices: string[] }>(details);
      if (!choices.includes(decision)) {
        throw validationFailed([{ path: 'decision', message: `must be one of ${choices.join(', ')}` }]);
      }
      return {
        decision,
        approved: decision === 'approved',
        comment,
        by: actor.userId,
        at: new Date().toISOString(),
      };
    },
    isSame(stored) {
      const kept = parseOwnJson<Decision>(stored);
      return kept.decision === decision && kept.comment === comment;
    },
    toRecorded({ answer: stored, byUser, at }) {
      if (stored === null) return { decision: null, comment: null, by: null, byUser, at: at.toISOString() };
      const kept = parseOwnJson<Decision>(stored);
      return { decision: kept.decision, comment: kept.comment, by: kept.by, byUser, at: kept.at };
    },
  });
}

/** Returns a decision as it is stored. */
interface Decision {
  readonly decision: string;
  readonly comment: string | null;
  readonly by: string;
  readonly at: string;
}

/** Returns the choice that a body names, by `approved`, by `decision`, or by both if they agree. */
function decisionOf({ approved, decision }: SubmitApprovalBody): string {
  const named = approved === undefined ? decision : approved ? 'approved' : 'rejected';
  if (named === undefined) throw validationFailed([{ path: 'decision', message: 'give approved or decision' }]);
  if (decision === undefined || decision === named) return named;
  throw validationFailed([{ path: 'decision', message: `is another than approved: ${String(approved)} says` }]);
}
