import { AppliedWorkflow, ApplyWorkflowBody, DryRunQuery, DryRunResponse } from '@deckhand/contracts';
import type { FirstDue, Precondition } from '@deckhand/db';
import { nextDueTime } from '@deckhand/nodes';
import { isForExistingOnly, readIfMatch, stateTag } from '../../http/etag.ts';
import { queryReader } from '../../http/read-request.ts';
import { MAX_DATA_BODY_BYTES, readBody } from '../../http/read-body.ts';
import { sendJson } from '../../http/respond.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { ResourceContext } from '../../contexts.ts';
import { storeApplied, tryApplying } from '../../workflows/apply-workflow.ts';

const readQuery = queryReader(DryRunQuery);

/** POST /api/workflows/apply */
export function applyWorkflow(context: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workflows/apply',
    'workflows:write',
    {
      summary: 'Apply a workflow',
      description:
        'Creates a workflow with a slug, or with `If-Match` changes the one that has it, in one step: its properties, its definition, and whether it is active. A definition that is not that of the latest version becomes a version, and the active one if the status is active. With `dryRun=true`, everything is checked and nothing is saved.',
      returns: 'The workflow; with dryRun=true, the result of the check',
      takesIdempotencyKey: true,
      takesIfMatch: true,
      query: DryRunQuery,
      body: ApplyWorkflowBody,
      responses: { 200: DryRunResponse, 201: AppliedWorkflow },
      errors: ['CONFLICT', 'LIMIT_REACHED', 'NO_ACTIVE_VERSION', 'PRECONDITION_FAILED'],
    },
    async (request, response, caller) => {
      const { dryRun } = readQuery(request);
      const asked = await readBody(request, MAX_DATA_BODY_BYTES);
      const precondition: Precondition = isForExistingOnly(request)
        ? { kind: 'existing', states: readIfMatch(request) }
        : { kind: 'new' };
      const firstDue: FirstDue = (rule, now) => new Date(nextDueTime(rule, now));
      if (dryRun) {
        sendJson(response, 200, await tryApplying(context, caller, asked, precondition, firstDue));
        return;
      }
      await context.answerOnce({ request, response, caller, body: asked }, async (actor) => {
        const { body, updatedAt } = await storeApplied(context, actor, asked, precondition, firstDue);
        return { status: 201, body, etag: stateTag(updatedAt) };
      });
    },
  );
}
