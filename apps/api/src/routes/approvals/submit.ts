import { compileBody, parseOwnJson, SubmitApprovalBody, validationFailed, RecordedAnswer } from '@deckhand/contracts';
import { readBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import { answer } from '../../runs/answer.js';
import { recordRunChange } from '../../runs/record-run-change.js';
import type { Services } from '../../services.js';

const parse = compileBody(SubmitApprovalBody);

/** POST /api/approvals/submit: the first decision stands; the same one again queues the run again. */
export function submitApproval(services: Services): Route {
  return forKey(
    'POST',
    '/api/approvals/submit',
    {
      summary: 'Decide on a waiting run',
      takesIdempotencyKey: true,
      body: SubmitApprovalBody,
      answers: { 200: RecordedAnswer },
      errors: ['ALREADY_DECIDED', 'NOT_WAITING', 'RESUME_PENDING'],
    },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      await services.answerOnce({ request, response, caller, body }, async (actor) => {
        const decision = decisionOf(body);
        const recorded = await answer(services, actor, {
          executionId: body.executionId.toLowerCase(),
          nodeId: body.nodeId,
          kind: 'approval',
          toAnswer(details) {
            const { choices } = parseOwnJson<{ choices: string[] }>(details);
            if (!choices.includes(decision)) {
              throw validationFailed([{ path: 'decision', message: `must be one of ${choices.join(', ')}` }]);
            }
            return {
              decision,
              approved: decision === 'approved',
              comment: body.comment ?? null,
              by: actor.userId,
              at: new Date().toISOString(),
            };
          },
          isSame: (stored) => parseOwnJson<{ decision: string }>(stored).decision === decision,
          toRecorded({ answer: stored, at }) {
            if (stored === null) return { decision: null, comment: null, by: null, at: at.toISOString() };
            const { decision, comment, by, at: decidedAt } = parseOwnJson<Decision>(stored);
            return { decision, comment, by, at: decidedAt };
          },
        });
        await recordRunChange(services, actor, 'execution.decide', recorded.executionId);
        return { status: 200, body: recorded };
      });
    },
  );
}

/** A decision as it is kept. */
interface Decision {
  readonly decision: string;
  readonly comment: string | null;
  readonly by: string;
  readonly at: string;
}

/** The choice that a body names: exactly one of `approved` and `decision` does. */
function decisionOf({ approved, decision }: SubmitApprovalBody): string {
  if ((approved === undefined) === (decision === undefined)) {
    throw validationFailed([{ path: 'decision', message: 'give exactly one of approved and decision' }]);
  }
  return decision ?? (approved === true ? 'approved' : 'rejected');
}
