import { DeckhandError, LiveResponse, ReadyResponse } from '@deckhand/contracts';
import { findPendingMigrations } from '@deckhand/db';
import { hasMetricsToken, isLocalCaller } from '@deckhand/runtime';
import type { Request } from 'express';
import { RETRY_AFTER_SECONDS } from '../http/errors.ts';
import { sendJson } from '../http/respond.ts';
import { open, type Route } from '../http/route.ts';
import type { MonitoringContext } from '../contexts.ts';

/** GET /healthz */
export function getLiveness(): Route {
  return open(
    'GET',
    '/healthz',
    {
      summary: 'Check that the process is alive',
      description: 'For liveness probes.',
      returns: 'The process is alive',
      responses: { 200: LiveResponse },
    },
    (_request, response) => {
      sendJson(response, 200, { status: 'ok' });
    },
  );
}

/** GET /readyz */
export function getReadiness(context: MonitoringContext): Route {
  let isMigrated = false;

  async function check(what: string, ask: () => Promise<boolean>): Promise<[string, boolean]> {
    try {
      return [what, await ask()];
    } catch (err) {
      context.logger.warn({ err, check: what }, 'not ready');
      return [what, false];
    }
  }

  return open(
    'GET',
    '/readyz',
    {
      summary: 'Check that the process is ready',
      description:
        'Ready means that PostgreSQL and Redis respond, all migrations have run, and the process is not stopping.',
      returns: 'Whether the process is ready, and what is missing',
      responses: { 200: ReadyResponse, 503: ReadyResponse },
    },
    async (_request, response) => {
      const checks = Object.fromEntries(
        await Promise.all([
          check('postgresql', async () => (await context.db.$queryRaw<unknown[]>`SELECT 1`).length === 1),
          check('redis', async () => (await context.redis.ping()).length > 0),
          check('migrations', async () => {
            // New migrations only come with a new version of this process.
            isMigrated ||= (await findPendingMigrations(context.databaseUrl)).length === 0;
            return isMigrated;
          }),
        ]),
      );
      const isReady = context.isReady() && Object.values(checks).every(Boolean);
      if (!isReady) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
      sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', checks });
    },
  );
}

/** GET /metrics */
export function getMetrics({ metrics, metricsAccess }: MonitoringContext): Route {
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
