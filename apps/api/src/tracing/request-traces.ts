import type { Tracing } from '@deckhand/runtime';
import type { RequestHandler } from 'express';
import { routeOf } from '../http/route.ts';

/** Requested by machines every few seconds, and not part of any run. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);
/** Paths on which the trace of the caller is continued. Callers of webhooks are not trusted. */
const CONTINUED = '/api/';

/**
 * Traces every request by the template of its route, with the span as current for whatever the request starts. The
 * request becomes part of the caller's trace if a caller of the API sends a `traceparent`.
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
