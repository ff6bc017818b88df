import type { ErrorRequestHandler, Request, Response } from 'express';
import { DeckhandError, type ErrorCode } from '@deckhand/contracts';
import { classifyStoreError, isStoreError } from '@deckhand/db';
import { OutputGoneError } from '@deckhand/outputs';
import type { Logger } from '@deckhand/runtime';
import { sendJson } from './respond.js';

/** Failures of a run behind a webhook: nothing is wrong with the service. */
const OF_THE_RUN: readonly ErrorCode[] = ['EXECUTION_FAILED', 'WEBHOOK_TIMEOUT'];

/** After how many seconds a caller should try again where nothing better is known. */
export const RETRY_AFTER_SECONDS = 2;

/** Turns whatever a route threw into its answer: the one place that does. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error: unknown, request: Request, response: Response, _next) => {
    if (request.readableAborted) {
      logger.info({ requestId: request.id }, 'the caller went away');
      return;
    }
    const known = toDeckhandError(error);
    if (known.status >= 500 && !OF_THE_RUN.includes(known.code))
      logger.error({ err: error, requestId: request.id, code: known.code }, 'request failed');
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (known.status === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
    sendJson(response, known.status, {
      error: known.message,
      code: known.code,
      ...known.extra,
      ...(known.details === undefined ? {} : { details: known.details }),
      requestId: request.id,
    });
  };
}

/** Any error as one of the catalogue. */
export function toDeckhandError(error: unknown): DeckhandError {
  if (error instanceof DeckhandError) return error;
  // Express's own refusal of a path that cannot be decoded: such a path leads nowhere.
  if (error instanceof URIError) return new DeckhandError('NOT_FOUND');
  // A setting or migration that is missing can be mended, and then the same request succeeds.
  if (isStoreError(error) && classifyStoreError(error) !== 'row') {
    return new DeckhandError('SERVICE_UNAVAILABLE', { cause: error });
  }
  if (error instanceof OutputGoneError) return new DeckhandError('OUTPUT_GONE', { cause: error });
  return new DeckhandError('INTERNAL', { cause: error });
}
