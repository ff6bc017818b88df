import { ChangeWebhookUrlBody, compileBody, WebhookUrl } from '@deckhand/contracts';
import { changeWebhookUrl as change } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { readOptionalBody } from '../../http/read-body.js';
import { forKey, type Route } from '../../http/route.js';
import { webhookUrl } from '../../workflows/workflow-answer.js';
import type { Services } from '../../services.js';
import { pathNodeId } from './path-node-id.js';

const parse = compileBody(ChangeWebhookUrlBody);

/** POST /api/workflows/{id}/webhooks/{nodeId}/url */
export function changeWebhookUrl({ db, webhookBaseUrl, answerOnce }: Services): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/webhooks/:nodeId/url',
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
        return { status: 200, body: { nodeId, url: webhookUrl(webhookBaseUrl, suffix) } };
      });
    },
  );
}
