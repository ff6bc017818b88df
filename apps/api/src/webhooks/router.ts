import { Router, type Request, type Response } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import type { WindowCount, WindowRate } from '@deckhand/queue';
import { clientGone } from '../http/client-gone.ts';
import { isPreflight } from '../http/cors.ts';
import { toDeckhandError } from '../http/errors.ts';
import type { WebhookContext } from '../contexts.ts';
import { prepareAnswer } from './answer.ts';
import { allowOrigin, answerOptions, CORS_WITHOUT_TRIGGER } from './cors.ts';
import { readBytes } from '../http/read-body.ts';
import { readPaced } from '../http/request-time.ts';
import type { KnownWebhook } from './find-target.ts';
import { type Delivery, type Progress, receive, type Received } from './receive.ts';

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

/**
 * Finds the webhook and receives the request. What an earlier request has found is used first; if that refuses, the
 * webhook is found anew.
 */
async function take(context: WebhookContext, request: Request, response: Response, isTest: boolean): Promise<void> {
  prepareAnswer(response);
  if (request.method === 'HEAD') throw new DeckhandError('NOT_FOUND');
  const suffix = typeof request.params.suffix === 'string' ? request.params.suffix : '';
  const taken: Taken = {
    ...{ request, response, isTest, startedAt: performance.now(), at: new Date() },
    // Before anything is awaited, because the caller may disconnect meanwhile.
    signal: clientGone(response),
    ...readOnce(request, context.maxBytes),
    countRequest: countOnce(context.workflowRate),
  };
  const remembered = isTest || request.method === 'OPTIONS' ? undefined : context.webhooks.recall(suffix);
  if (remembered) {
    if (await deliver(context, taken, remembered)) return;
    allowOrigin(request, response, CORS_WITHOUT_TRIGGER);
  }
  await deliver(context, taken, await context.webhooks.find(suffix, { isTest }));
}

/** A request whose webhook is still to be found, and when it came. */
interface Taken extends Omit<Received, 'webhook' | 'delivery' | 'progress'> {
  readonly isTest: boolean;
  readonly startedAt: number;
  readonly at: Date;
}

/**
 * Receives the request for a webhook, and notes what came of it.
 * @returns false if it has done nothing, because the webhook was remembered and may be outdated.
 */
async function deliver(context: WebhookContext, taken: Taken, webhook: KnownWebhook): Promise<boolean> {
  const { request, response, signal, isTest, startedAt, at } = taken;
  const delivery: Delivery = { nodeId: webhook.nodeId, executionId: null, errorCode: null };
  const progress: Progress = { isPassedOn: false };
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
    await receive(context, { ...taken, webhook, delivery, progress });
    if (isNoted && wasGone) note();
    return true;
  } catch (error) {
    // Once a run was started, nothing may start another.
    if (webhook.isRemembered && delivery.executionId === null && mayBeOutdated(error, progress)) {
      signal.removeEventListener('abort', note);
      return false;
    }
    const { code, extra } = toDeckhandError(error);
    delivery.errorCode = code;
    if (typeof extra.executionId === 'string') delivery.executionId = extra.executionId;
    if (isNoted && wasGone) note();
    throw error;
  }
}

/**
 * Whether a request was refused for what an earlier request has found. The statement that starts runs refuses with
 * NOT_FOUND if that is not current any more; its other refusals are current.
 */
function mayBeOutdated(error: unknown, { isPassedOn }: Progress): boolean {
  if (!(error instanceof DeckhandError)) return false;
  return isPassedOn ? error.code === 'NOT_FOUND' : error.code !== 'write_circuit_open';
}

/** Reads the body once, however often it is asked for. */
function readOnce(request: Request, maxBytes: number): Pick<Received, 'readBytes' | 'readStream'> {
  let bytes: Promise<Buffer> | undefined;
  return {
    readBytes: () => (bytes ??= readBytes(request, maxBytes)),
    async *readStream() {
      if (bytes) yield await bytes;
      else yield* readPaced(request);
    },
  };
}

/** Counts the request once under each limit. */
function countOnce(count: WindowRate): WindowRate {
  const counts = new Map<string, Promise<WindowCount>>();
  return (workflowId, limit) => {
    const name = `${workflowId} ${limit.max} ${limit.windowSeconds}`;
    const counted = counts.get(name) ?? count(workflowId, limit);
    counts.set(name, counted);
    return counted;
  };
}
