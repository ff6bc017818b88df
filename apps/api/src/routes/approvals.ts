import {
  ApprovalEntry,
  compileBody,
  HumanTaskEntry,
  ListWaitsQuery,
  pageOf,
  RecordedResponse,
  SubmitApprovalBody,
} from '@deckhand/contracts';
import { listApprovals as loadApprovals, listHumanTasks as loadHumanTasks } from '@deckhand/db';
import { queryReader } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import { decide } from '../runs/decide.ts';
import type { RunContext } from '../contexts.ts';

const readQuery = queryReader(ListWaitsQuery);

/** GET /api/approvals */
export function listApprovals({ db }: RunContext): Route {
  return forKey(
    'GET',
    '/api/approvals',
    'approvals:read',
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
export function submitApproval(context: RunContext): Route {
  return forKey(
    'POST',
    '/api/approvals/submit',
    'approvals:write',
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
      await context.answerOnce({ request, response, caller, body }, async (actor) => ({
        status: 200,
        body: await decide(context, actor, body),
      }));
    },
  );
}

/** GET /api/human-tasks */
export function listHumanTasks({ db }: RunContext): Route {
  return forKey(
    'GET',
    '/api/human-tasks',
    'human-tasks:read',
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
