import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pinoHttp, type HttpLogger } from 'pino-http';
import type { Logger } from '@deckhand/runtime';

const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives every request an id (the caller's, when it sent a sane one), answers with it, and logs each request: failures as
 * errors, refusals as info, the rest as debug. Headers are not logged: they carry keys.
 */
export function createRequestLog(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    quietReqLogger: true,
    genReqId: chooseId,
    customLogLevel: (_request, response, error) => levelOf(response.statusCode, error),
    serializers: { req: describeRequest, res: describeResponse },
  });
}

function chooseId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}

function levelOf(status: number, error: Error | undefined): 'error' | 'info' | 'debug' {
  if (error || status >= 500) return 'error';
  return status >= 400 ? 'info' : 'debug';
}

function describeRequest(request: { id: string; method: string; url: string; remoteAddress: string }) {
  return { id: request.id, method: request.method, url: hideSuffix(request.url), address: request.remoteAddress };
}

/** A webhook's URL is all that some webhooks are protected by, and providers put tokens into queries. */
function hideSuffix(url: string): string {
  return url.replace(/^(\/webhook(?:-test)?\/[^/?]{0,4}).*$/s, '$1…');
}

function describeResponse(response: { statusCode: number }) {
  return { statusCode: response.statusCode };
}
