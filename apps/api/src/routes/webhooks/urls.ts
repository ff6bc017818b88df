import { ChangeWebhookUrlBody, compileBody, WebhookTestUrl, WebhookUrl } from '@deckhand/contracts';
import { changeWebhookUrl as change, openWebhookTest as open, readTriggerType } from '@deckhand/db';
import { pathId, pathNodeId } from '../../http/read-request.ts';
import { readOptionalBody } from '../../http/read-body.ts';
import { refuseBody } from '../../http/refuse-body.ts';
import { forKey, type Route } from '../../http/route.ts';
import type { ResourceContext } from '../../contexts.ts';
import { triggerTestUrl, triggerUrl } from '../../workflows/workflow-answer.ts';

const parse = compileBody(ChangeWebhookUrlBody);

/** POST /api/workflows/{id}/webhooks/{nodeId}/url */
export function changeWebhookUrl({ db, webhookBaseUrl, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/webhooks/:nodeId/url',
    'workflows:write',
    {
      summary: 'Change the URL of a webhook',
      description: 'The old URL is a 404 from the response on.',
      returns: 'The new URL',
      takesIdempotencyKey: true,
      body: ChangeWebhookUrlBody,
      isBodyOptional: true,
      responses: { 200: WebhookUrl },
      errors: ['CONFLICT'],
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const nodeId = pathNodeId(request);
      const body = parse(await readOptionalBody(request));
      await answerOnce({ request, response, caller, body }, async (actor) => {
        const suffix = await change(db, actor, workflowId, { nodeId, suffix: body.path });
        const type = await readTriggerType(db, workflowId, nodeId);
        return { status: 200, body: { nodeId, url: triggerUrl(webhookBaseUrl, { suffix, type }) } };
      });
    },
  );
}

/** How long a test URL stays open. */
const OPEN_SECONDS = 120;

/** POST /api/workflows/{id}/webhooks/{nodeId}/test */
export function openWebhookTest({ db, webhookBaseUrl, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/webhooks/:nodeId/test',
    'workflows:write',
    {
      summary: "Open a webhook's test URL for two minutes",
      description: 'Requests to the test URL run the latest version in test mode, also while the workflow is inactive.',
      returns: 'The test URL, and when it closes',
      takesIdempotencyKey: true,
      responses: { 200: WebhookTestUrl },
    },
    async (request, response, caller) => {
      const workflowId = pathId(request);
      const nodeId = pathNodeId(request);
      await refuseBody(request);
      await answerOnce({ request, response, caller, body: null }, async (actor) => {
        const { suffix, until } = await open(db, actor, workflowId, { nodeId, forSeconds: OPEN_SECONDS });
        const type = await readTriggerType(db, workflowId, nodeId);
        const url = triggerTestUrl(webhookBaseUrl, { suffix, type });
        return { status: 200, body: { nodeId, url, expiresAt: until.toISOString() } };
      });
    },
  );
}
