import { BlockList, isIPv6 } from 'node:net';
import type { Request } from 'express';
import { DeckhandError } from '@deckhand/contracts';
import { hasMetricsToken } from '@deckhand/runtime';
import { open, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** Loopback, private, link-local and unique local addresses. */
const NEARBY = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  NEARBY.addSubnet(network, prefix, 'ipv4');
}
NEARBY.addAddress('::1', 'ipv6');
NEARBY.addSubnet('fc00::', 7, 'ipv6');
NEARBY.addSubnet('fe80::', 10, 'ipv6');

/** What proxies add to the requests that they hand on. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/**
 * GET /metrics: counters of this process for Prometheus. With METRICS_TOKEN for whoever sends it; without, for direct
 * callers from a private network only. With METRICS_PORT it is there alone.
 */
export function readMetrics({ metrics, metricsAccess }: Services): Route {
  return open(
    'GET',
    '/metrics',
    {
      summary: "Read this process's metrics, for Prometheus",
      answers: { 200: 'text/plain' },
      errors: ['UNAUTHORIZED', 'NOT_FOUND'],
    },
    async (request, response) => {
      if (metricsAccess === 'elsewhere') throw new DeckhandError('NOT_FOUND');
      if (metricsAccess === 'nearby') requireNearby(request);
      else requireToken(request, metricsAccess.token);
      const text = await metrics.registry.metrics();
      response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text);
    },
  );
}

/** Whoever is refused does not learn that there is anything. */
function requireNearby({ socket, headers }: Request): void {
  const address = socket.remoteAddress ?? '';
  const isNearby = address !== '' && NEARBY.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  if (!isNearby || PROXY_HEADERS.some((name) => headers[name] !== undefined)) throw new DeckhandError('NOT_FOUND');
}

function requireToken({ headers }: Request, token: string): void {
  if (hasMetricsToken(headers.authorization, token)) return;
  throw new DeckhandError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': 'Bearer realm="metrics"' } });
}
