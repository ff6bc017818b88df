import type { Tracing } from '@deckhand/runtime';
import type { RequestHandler } from 'express';
import { routeOf } from '../http/route-of.js';

/** Asked every few seconds by machines, and part of no run. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);
/** Where a caller's own trace is continued. Webhooks are called by strangers. */
const CONTINUED = '/api/';

/**
 * Traces every request, by the template of its route, and lets what it starts find its span. A caller of the API that
 * sends a `traceparent` has the request in its own trace.
 */
export function createRequestTraces(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    if (UNTRACED.has(request.path)) {
      next();
      return;
    }
    const parent = request.headers.traceparent;
    const span = tracing.begin(request.method, {
      kind: 'server',
      parent: typeof parent === 'string' && request.path.startsWith(CONTINUED) ? parent : undefined,
      attributes: { 'http.request.method': request.method },
    });
    response.once('close', () => {
      const route = routeOf(request);
      const { statusCode, writableFinished } = response;
      span.end({
        name: `${request.method} ${route}`,
        attributes: {
          'http.route': route,
          'http.response.status_code': statusCode,
          'deckhand.request.id': request.id,
          ...(writableFinished ? {} : { 'deckhand.request.aborted': true }),
        },
        error: statusCode >= 500 ? String(statusCode) : undefined,
      });
    });
    tracing.within(span, next);
  };
}
