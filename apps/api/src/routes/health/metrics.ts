import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { hasMetricsToken, isLocalCaller } from '@deckhand/runtime';
import { open, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /metrics */
export function readMetrics({ metrics, metricsAccess }: Services): Route {
  return open(
    'GET',
    '/metrics',
    {
      summary: 'Get the metrics of this process for Prometheus',
      description:
        'With `METRICS_TOKEN` for callers that send it, otherwise only for callers on the same machine. With `METRICS_PORT`, they are only available on that port.',
      returns: 'The metrics in the text format of Prometheus',
      responses: { 200: 'text/plain' },
      errors: ['UNAUTHORIZED', 'NOT_FOUND'],
    },
    async (request, response) => {
      if (metricsAccess === 'elsewhere') throw new DeckhandError('NOT_FOUND');
      if (metricsAccess === 'local') requireLocal(request);
      else requireToken(request, metricsAccess.token);
      const text = await metrics.registry.metrics();
      response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text);
    },
  );
}

/** A refused caller cannot tell that the path exists. */
function requireLocal({ socket, headers }: Request): void {
  if (!isLocalCaller(socket.remoteAddress, headers)) throw new DeckhandError('NOT_FOUND');
}

function requireToken({ headers }: Request, token: string): void {
  if (hasMetricsToken(headers.authorization, token)) return;
  throw new DeckhandError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': 'Bearer realm="metrics"' } });
}
