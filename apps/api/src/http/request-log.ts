import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '@deckhand/runtime';

declare module 'http' {
  interface IncomingMessage {
    /** Identifies the request in its response, in errors and in the log. */
    id: string;
  }
}

const VALID_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives every request an id (the caller's, if it is valid), returns it in `X-Request-Id`, and logs each request: 5xx as
 * error, 4xx as info, the rest as debug. Headers are not logged, because they hold keys. No log object is built for a
 * line that the log level omits.
 */
export function createRequestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    request.id = chooseId(request);
    response.setHeader('X-Request-Id', request.id);
    response.once('close', () => {
      const level = levelOf(response.statusCode);
      if (logger.isLevelEnabled(level)) logger[level](describe(request, response, startedAt), endOf(response));
    });
    next();
  };
}

function chooseId(request: Request): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && VALID_ID.test(given) ? given : randomUUID();
}

function levelOf(status: number): 'error' | 'info' | 'debug' {
  if (status >= 500) return 'error';
  return status >= 400 ? 'info' : 'debug';
}

function describe(request: Request, response: Response, startedAt: number): object {
  return {
    requestId: request.id,
    method: request.method,
    url: hideSuffix(request.originalUrl),
    address: request.ip,
    status: response.statusCode,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

function endOf(response: Response): string {
  return response.writableFinished ? 'request completed' : 'request aborted';
}

/**
 * Hides most of a webhook's URL, which is a secret, and its query, in which providers send tokens; and the token of a
 * link, also where it was misspelt.
 */
function hideSuffix(url: string): string {
  return url.replace(/^(\/webhook(?:-test)?\/[^/?]{0,4}|\/+answer\/).*$/is, '$1…');
}
