import type { Request, Response } from 'express';
import { DeckhandError, fileName, type JsonObject, mediaTypeOf } from '@deckhand/contracts';
import { findFileOfRun } from '@deckhand/db';
import type { WindowRate } from '@deckhand/queue';
import { contentCodings } from '@deckhand/runtime';
import { sendFile } from '../files/send-file.ts';
import { networkOf } from '../http/caller-address.ts';
import { isLarge } from '../http/read-body.ts';
import { rateLimited, setRateHeaders } from '../http/rate-limit.ts';
import type { StartRunRequest } from '../runs/run-starter.ts';
import { startedMessage } from '../runs/start-run.ts';
import type { WebhookContext } from '../contexts.ts';
import { type ResultFile, sendAnswer, sendResult } from './answer.ts';
import { type CallerServices, type CheckedCaller, checkCaller } from './check-caller.ts';
import { allowOrigin, answerOptions } from './cors.ts';
import { readRequestKey } from './request-key.ts';
import { MAX_TIMER_MS } from './await-run.ts';
import type { KnownWebhook, WebhookTarget } from './find-target.ts';
import { parsePayload, toRawBody } from './payload.ts';
import { storeBinary, type StoredBody, storedShape, storeMultipart } from './stored-body.ts';
import { sendSignal } from './send-signal.ts';
import { type TriggerData, triggerData } from './trigger-data.ts';

/** What is recorded of a request, in addition to its response. */
export interface Delivery {
  nodeId: string;
  executionId: string | null;
  errorCode: string | null;
}

/** How far a request has come. */
export interface Progress {
  /** Whether it was passed to the run starter, which checks what is current. */
  isPassedOn: boolean;
}

/** A request to a webhook. */
export interface Received {
  readonly request: Request;
  readonly response: Response;
  readonly webhook: KnownWebhook;
  readonly delivery: Delivery;
  readonly progress: Progress;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Reads the body; may be called again. */
  readonly readBytes: () => Promise<Buffer>;
  /** Reads the body while it comes, of any length; once. Yields what `readBytes` has read, if it was called. */
  readonly readStream: () => AsyncIterable<Uint8Array>;
  /** Counts the request towards the rate limit of a workflow; may be called again. */
  readonly countRequest: WindowRate;
}

/**
 * Handles a request to a webhook: finds its trigger, checks the caller, reads the body, starts the run and responds,
 * immediately or at the end of the run. In the mode `signal`, it sends an event instead.
 * @throws DeckhandError WEBHOOK_INACTIVE, METHOD_NOT_ALLOWED, UNAUTHORIZED, RATE_LIMITED, PAYLOAD_TOO_LARGE,
 * UNSUPPORTED_MEDIA_TYPE, INVALID_JSON, VALIDATION_FAILED, the refusals of the run starter, EXECUTION_FAILED,
 * WEBHOOK_TIMEOUT.
 */
export async function receive(context: WebhookContext, received: Received): Promise<void> {
  const { request, response, webhook, delivery, progress, signal } = received;
  const targets = await webhook.targets();
  const isOptions = request.method === 'OPTIONS';
  const method = isOptions ? request.headers['access-control-request-method'] : request.method;
  const found = targets.find(({ settings }) => settings.method === method);
  const target = found ?? targets[0];
  const { settings } = target;
  delivery.nodeId = target.nodeId;
  allowOrigin(request, response, settings);
  if (isOptions) {
    const allowedMethods = [...new Set(targets.flatMap((each) => each.settings.allowedMethods))];
    answerOptions(request, response, { ...settings, allowedMethods });
    return;
  }
  if (!found) {
    const methods = targets.map((each) => each.settings.method).join(', ');
    throw new DeckhandError('METHOD_NOT_ALLOWED', { headers: { Allow: `${methods}, OPTIONS` } });
  }
  context.breaker.check();
  const data = await read(context, received, target);
  if (settings.signal) {
    const sent = await sendSignal(context.events, request, { target, signal: settings.signal, data });
    if (sent.isRepeated) response.setHeader('Idempotency-Replayed', 'true');
    sendAnswer(response, settings.responseCode, sent.answer);
    return;
  }
  const run = runOf(request, target, data);
  progress.isPassedOn = true;
  const started = await context.runStarter.start(run);
  const { executionId, isRepeated } = started;
  delivery.executionId = executionId;
  if (isRepeated) response.setHeader('Idempotency-Replayed', 'true');
  if (settings.responseMode === 'immediately') {
    sendAnswer(response, settings.responseCode, { message: startedMessage(started), executionId });
    return;
  }
  const deadline = performance.now() + settings.timeoutMs;
  const outcome = await context.awaitRun(executionId, {
    timeoutMs: settings.timeoutMs,
    signal,
    isNew: !isRepeated,
  });
  if (outcome === undefined) return;
  if (outcome.resultJson === null) {
    sendAnswer(response, 200, { executionId, status: 'success' });
    return;
  }
  const refused = await sendResult(response, outcome.resultJson, (file) =>
    sendFileOfRun(context, received, { ...file, executionId, deadline }),
  );
  if (refused.length > 0) context.logger.info({ executionId, headers: refused }, 'omitted headers from a response');
}

/** A file of a run that a webhook responds with. */
interface FileOfResponse extends ResultFile {
  readonly executionId: string;
  /** Until when it may wait for others, as `performance.now()`. */
  readonly deadline: number;
}

/**
 * Sends a file that the run names, once few enough are being sent. A refusal that may be repeated would start another
 * run.
 * @throws DeckhandError OUTPUT_GONE if the run does not name it, or not any more; WEBHOOK_TIMEOUT if it has to wait for
 * too long.
 */
async function sendFileOfRun(
  { db, files, shares }: WebhookContext,
  { request, response, signal: disconnected }: Received,
  { stored, executionId, status, deadline }: FileOfResponse,
): Promise<void> {
  const file = await findFileOfRun(db, { executionId, fileId: stored.id });
  if (!file) throw new DeckhandError('OUTPUT_GONE', { message: 'The run has no such file', extra: { executionId } });
  const about = { contentType: mediaTypeOf(stored), name: fileName(stored.name), status };
  const leftMs = Math.ceil(Math.min(Math.max(deadline - performance.now(), 0), MAX_TIMER_MS));
  const signal = AbortSignal.any([disconnected, AbortSignal.timeout(leftMs)]);
  const send = () => sendFile(request, response, { files, file, ...about });
  const isSent = await shares.onceFree(file.workspaceId, 'files of webhook responses', send, { signal });
  if (isSent || disconnected.aborted) return;
  const message = 'The run responded in time, but too many files of other responses are being sent';
  throw new DeckhandError('WEBHOOK_TIMEOUT', { message, extra: { executionId } });
}

/** Checks and reads the whole request. */
async function read(
  context: WebhookContext,
  { request, response, webhook, signal, readBytes, readStream, countRequest }: Received,
  target: WebhookTarget,
): Promise<TriggerData> {
  const { settings, workflowId } = target;
  const { readCredential, webhookBaseUrl, delayFailure } = context;
  const services = { readCredential, readBytes, webhookBaseUrl, delayFailure };
  const { secretHeaders } = await letIn(services, request, target, webhook.isRemembered ? undefined : signal);
  if (settings.rateLimit) await limit(countRequest, response, workflowId, settings.rateLimit);
  const contentType = request.headers['content-type'] ?? '';
  requireNoEncoding(request);
  const shape = settings.storesFiles && hasBody(request) ? storedShape(contentType, settings.payloadType) : undefined;
  if (shape) {
    const { workspaceId } = target;
    const body = await storeFiles(context, request, shape, { contentType, content: readStream(), workspaceId });
    return triggerData(request, { body, rawBody: undefined, secretHeaders });
  }
  const bytes = await readBytes();
  return triggerData(request, {
    body: await parsePayload(bytes, { contentType, payloadType: settings.payloadType }),
    rawBody: settings.keepsRawBody ? toRawBody(bytes, contentType) : undefined,
    secretHeaders,
  });
}

/** Stores a body, or the files of a form. The rest of a refused one is discarded as it comes. */
async function storeFiles(
  { files, shares, maxBytes, maxFileBytes }: WebhookContext,
  request: Request,
  shape: 'binary' | 'multipart',
  sent: Pick<StoredBody, 'contentType' | 'content' | 'workspaceId'>,
): Promise<JsonObject> {
  const body = { ...sent, files, maxBytes: maxFileBytes, maxFieldBytes: maxBytes };
  try {
    return await shares.within(sent.workspaceId, 'webhook files', async () =>
      shape === 'binary' ? storeBinary(body) : (await storeMultipart(body)).fields,
    );
  } catch (error) {
    request.resume();
    throw error;
  }
}

/** Returns false for a request without a body. */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Returns the run that a request starts. @throws DeckhandError VALIDATION_FAILED for an expression of the trigger. */
function runOf(request: Request, target: WebhookTarget, data: TriggerData): StartRunRequest {
  const { settings, workflowId, nodeId, versionId, checkedSuffix, testActor } = target;
  return {
    workflowId,
    actor: testActor,
    versionId,
    wasCurrentVersion: true,
    triggerNodeId: nodeId,
    webhookSuffix: checkedSuffix,
    mode: testActor ? 'test' : 'normal',
    source: 'webhook',
    triggerData: data.json,
    options: settings.optionsFor(() => data.trigger),
    idempotencyKey: readRequestKey(request, target, data),
    isAwaited: settings.responseMode === 'onCompletion',
  };
}

/**
 * Checks the caller, and delays the response to one with a wrong secret or signature, longer with each failure.
 * @param signal undefined if the webhook is remembered: then the caller is checked again.
 */
async function letIn(
  { delayFailure, readBytes, ...services }: CallerServices & Pick<WebhookContext, 'delayFailure'>,
  request: Request,
  target: WebhookTarget,
  signal: AbortSignal | undefined,
): Promise<CheckedCaller> {
  const held: Buffer[] = [];
  const readAndHold = async (): Promise<Buffer> => {
    const bytes = await readBytes();
    held.push(bytes);
    return bytes;
  };
  try {
    return await checkCaller(request, target, { ...services, readBytes: readAndHold });
  } catch (error) {
    // A large body that was read for its signature is not held meanwhile. Signatures cannot be guessed anyway.
    if (signal && !held.some(isLarge) && error instanceof DeckhandError && error.code === 'UNAUTHORIZED') {
      await delayFailure(`${target.workflowId} ${target.nodeId} ${networkOf(request.ip ?? '')}`, signal);
    }
    throw error;
  }
}

async function limit(
  countRequest: WindowRate,
  response: Response,
  workflowId: string,
  rateLimit: NonNullable<WebhookTarget['settings']['rateLimit']>,
): Promise<void> {
  const rate = { name: 'workflow-requests', ...rateLimit, ...(await countRequest(workflowId, rateLimit)) } as const;
  if (rate.isBeyond) throw rateLimited('RATE_LIMITED', rate, 'The rate limit of the workflow is reached');
  setRateHeaders(response, rate);
}

function requireNoEncoding(request: Request): void {
  if (contentCodings(request.headers['content-encoding']).length === 0) return;
  request.resume();
  throw new DeckhandError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without a Content-Encoding' });
}
