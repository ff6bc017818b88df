import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '@deckhand/runtime';

declare module 'http' {
  interface IncomingMessage {
    /** What the answer, its errors and the log know the request by. */
    id: string;
  }
}

const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives every request an id (the caller's, when it sent a sane one), answers with it, and logs each request: failures
 * as errors, refusals as info, the rest as debug. Headers are not logged: they carry keys. Nothing is put together for
 * a line that the level leaves out.
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
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
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

/** A webhook's URL is all that some webhooks are protected by, and providers put tokens into queries. */
function hideSuffix(url: string): string {
  return url.replace(/^(\/webhook(?:-test)?\/[^/?]{0,4}).*$/s, '$1…');
}
