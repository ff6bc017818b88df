import { WebhookTestUrl } from '@deckhand/contracts';
import { openWebhookTest as open } from '@deckhand/db';
import { pathId } from '../../http/query.js';
import { refuseBody } from '../../http/refuse-body.js';
import { forKey, type Route } from '../../http/route.js';
import { webhookTestUrl } from '../../workflows/workflow-answer.js';
import type { Services } from '../../services.js';
import { pathNodeId } from './path-node-id.js';

/** How long a test URL stays open. */
const OPEN_SECONDS = 120;

/** POST /api/workflows/{id}/webhooks/{nodeId}/test */
export function openWebhookTest({ db, webhookBaseUrl, answerOnce }: Services): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/webhooks/:nodeId/test',
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
        const url = webhookTestUrl(webhookBaseUrl, suffix);
        return { status: 200, body: { nodeId, url, expiresAt: until.toISOString() } };
      });
    },
  );
}
