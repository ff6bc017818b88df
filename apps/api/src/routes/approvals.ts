import {
  ApprovalEntry,
  compileBody,
  HumanTaskEntry,
  ListWaitsQuery,
  pageOf,
  parseOwnJson,
  RecordedResponse,
  SubmitApprovalBody,
  validationFailed,
} from '@deckhand/contracts';
import { listApprovals as loadApprovals, listHumanTasks as loadHumanTasks } from '@deckhand/db';
import { queryReader } from '../http/query.js';
import { readBody } from '../http/read-body.js';
import { sendJson } from '../http/respond.js';
import { forKey, type Route } from '../http/route.js';
import { answer, chosenIteration } from '../runs/answer.js';
import type { Services } from '../services.js';

const readQuery = queryReader(ListWaitsQuery);

/** GET /api/approvals */
export function listApprovals({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/approvals',
    {
      summary: 'List approvals',
      description: 'Lists the approvals that runs of the workspace wait for.',
      returns: 'Open approvals, the oldest first',
      query: ListWaitsQuery,
      responses: { 200: pageOf(ApprovalEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await loadApprovals(db, caller, readQuery(request)));
    },
  );
}

const parse = compileBody(SubmitApprovalBody);

/** POST /api/approvals/submit */
export function submitApproval(services: Services): Route {
  return forKey(
    'POST',
    '/api/approvals/submit',
    {
      summary: 'Submit a decision',
      description:
        'The first decision counts. After a 503, submitting the same decision again queues the run again. A node that waits in several iterations needs `iteration` or `waitId`.',
      returns: 'The decision is recorded, and the run continues',
      takesIdempotencyKey: true,
      body: SubmitApprovalBody,
      responses: { 200: RecordedResponse },
      errors: ['ALREADY_DECIDED', 'NOT_WAITING', 'SEVERAL_WAITS', 'RESUME_PENDING'],
    },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      const node = { executionId: body.executionId.toLowerCase(), nodeId: body.nodeId };
      const comment = body.comment ?? null;
      await services.answerOnce({ request, response, caller, body }, async (actor) => {
        const decision = decisionOf(body);
        const recorded = await answer(services, actor, {
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
        return { status: 200, body: recorded };
      });
    },
  );
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

/** GET /api/human-tasks */
export function listHumanTasks({ db }: Services): Route {
  return forKey(
    'GET',
    '/api/human-tasks',
    {
      summary: 'List human tasks',
      description: 'Lists the forms that runs of the workspace wait for.',
      returns: 'Open forms, the oldest first',
      query: ListWaitsQuery,
      responses: { 200: pageOf(HumanTaskEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await loadHumanTasks(db, caller, readQuery(request)));
    },
  );
}
