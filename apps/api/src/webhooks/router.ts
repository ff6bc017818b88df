import { Router, type Request, type Response } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { clientGone } from '../http/client-gone.ts';
import { isPreflight } from '../http/cors.ts';
import { toDeckhandError } from '../http/errors.ts';
import type { WebhookContext } from '../contexts.ts';
import { prepareAnswer } from './answer.ts';
import { allowOrigin, answerOptions, CORS_WITHOUT_TRIGGER } from './cors.ts';
import { type Delivery, receive } from './receive.ts';

/**
 * Creates the router of webhooks, which are outside the API and read bodies themselves. `/webhook/<suffix>` runs the
 * active version. `/webhook-test/<suffix>` runs the latest one in test mode, while an editor keeps it open. HEAD, and
 * paths below a suffix, are a 404.
 */
export function createWebhookRouter(context: WebhookContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.all('/webhook/:suffix', (request, response) => handle(context, request, response, false));
  router.all('/webhook-test/:suffix', (request, response) => handle(context, request, response, true));
  return router;
}

/** Handles a request. Pages of any origin may read a refusal that comes before the trigger is known. */
async function handle(context: WebhookContext, request: Request, response: Response, isTest: boolean): Promise<void> {
  allowOrigin(request, response, CORS_WITHOUT_TRIGGER);
  try {
    await take(context, request, response, isTest);
  } catch (error) {
    if (!isPreflight(request) || toDeckhandError(error).status >= 500) throw error;
    answerOptions(request, response, CORS_WITHOUT_TRIGGER);
  }
}

async function take(context: WebhookContext, request: Request, response: Response, isTest: boolean): Promise<void> {
  const startedAt = performance.now();
  const at = new Date();
  prepareAnswer(response);
  if (request.method === 'HEAD') throw new DeckhandError('NOT_FOUND');
  const { suffix } = request.params;
  // Before anything is awaited, because the caller may disconnect meanwhile.
  const signal = clientGone(response);
  const webhook = await context.webhooks.find(typeof suffix === 'string' ? suffix : '', { isTest });
  const delivery: Delivery = { nodeId: webhook.nodeId, executionId: null, errorCode: null };
  const note = (): void => {
    context.deliveries.note({
      workflowId: webhook.workflowId,
      at,
      isTest,
      method: request.method,
      status: response.writableFinished ? response.statusCode : null,
      durationMs: Math.round(performance.now() - startedAt),
      ...delivery,
    });
  };
  const isNoted = request.method !== 'OPTIONS';
  const wasGone = signal.aborted;
  if (isNoted && !wasGone) signal.addEventListener('abort', note);
  try {
    await receive(context, { request, response, webhook, delivery, signal });
  } catch (error) {
    const { code, extra } = toDeckhandError(error);
    delivery.errorCode = code;
    if (typeof extra.executionId === 'string') delivery.executionId = extra.executionId;
    throw error;
  } finally {
    if (isNoted && wasGone) note();
  }
}
