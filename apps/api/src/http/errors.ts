import type { ErrorRequestHandler, Request, Response } from 'express';
import { DeckhandError, type ErrorCode } from '@deckhand/contracts';
import { classifyStoreError, isStoreError } from '@deckhand/db';
import { FileError, type FileErrorCode, OutputGoneError } from '@deckhand/outputs';
import type { Logger } from '@deckhand/runtime';
import { sendJson } from './respond.ts';

/** Failures of a run behind a webhook. Nothing is wrong with the service, so they are not logged as errors. */
const OF_THE_RUN: readonly ErrorCode[] = ['EXECUTION_FAILED', 'WEBHOOK_TIMEOUT'];

/** Errors of files by the codes that nodes fail with. */
const OF_FILES: Readonly<Record<FileErrorCode, ErrorCode>> = {
  FILE_NOT_FOUND: 'NOT_FOUND',
  FILE_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  STORAGE_FULL: 'workspace_over_quota',
  INSTANCE_FULL: 'INSTANCE_FULL',
  MEMORY_EXCEEDED: 'SERVICE_UNAVAILABLE',
};

/** Default of `Retry-After`, in seconds. */
export const RETRY_AFTER_SECONDS = 2;

/** Creates the only handler that turns errors into responses. @param send sends one; by default as JSON. */
export function createErrorHandler(logger: Logger, send: SendError = sendErrorJson): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request: Request, response: Response, _next) => {
    if (request.readableAborted) {
      logger.info({ requestId: request.id }, 'caller disconnected');
      return;
    }
    const known = toDeckhandError(error);
    logFailure(logger, error, known, request.id);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    // The host of webhooks may have no documentation.
    if (request.path.startsWith('/api/')) response.append('Link', `</docs/errors/${known.code}>; rel="help"`);
    if (known.status === 503) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
    send(response, known, request.id);
  };
}

type SendError = (response: Response, error: DeckhandError, requestId: string) => void;

function sendErrorJson(response: Response, error: DeckhandError, requestId: string): void {
  sendJson(response, error.status, errorBody(error, requestId));
}

/** Logs an error that is not the caller's. */
export function logFailure(logger: Logger, err: unknown, { status, code }: DeckhandError, requestId: string): void {
  if (status >= 500 && !OF_THE_RUN.includes(code)) logger.error({ err, requestId, code }, 'request failed');
}

/** Returns an error as callers get it. */
export function errorBody({ message, code, extra, details }: DeckhandError, requestId: string): object {
  return { error: message, code, ...extra, ...(details === undefined ? {} : { details }), requestId };
}

/** Returns an error of the catalog for any error. */
export function toDeckhandError(error: unknown): DeckhandError {
  if (error instanceof DeckhandError) return error;
  // Express refuses a path that cannot be decoded. There is nothing at such a path.
  if (error instanceof URIError) return new DeckhandError('NOT_FOUND');
  // A missing setting or migration can be fixed, and then the same request succeeds.
  if (isStoreError(error) && classifyStoreError(error) !== 'row') {
    return new DeckhandError('SERVICE_UNAVAILABLE', { cause: error });
  }
  if (error instanceof OutputGoneError) return new DeckhandError('OUTPUT_GONE', { cause: error });
  if (error instanceof FileError)
    return new DeckhandError(OF_FILES[error.code], { message: error.message, cause: error });
  return new DeckhandError('INTERNAL', { cause: error });
}
