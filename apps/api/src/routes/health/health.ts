import { LiveResponse, ReadyResponse } from '@deckhand/contracts';
import { findPendingMigrations } from '@deckhand/db';
import { RETRY_AFTER_SECONDS } from '../../http/errors.js';
import { sendJson } from '../../http/respond.js';
import { open, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /healthz */
export function live(_services: Services): Route {
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
export function ready(services: Services): Route {
  let isMigrated = false;

  async function check(what: string, ask: () => Promise<boolean>): Promise<[string, boolean]> {
    try {
      return [what, await ask()];
    } catch (err) {
      services.logger.warn({ err, check: what }, 'not ready');
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
          check('postgresql', async () => (await services.db.$queryRaw<unknown[]>`SELECT 1`).length === 1),
          check('redis', async () => (await services.redis.ping()).length > 0),
          check('migrations', async () => {
            // New migrations only come with a new version of this process.
            isMigrated ||= (await findPendingMigrations(services.databaseUrl)).length === 0;
            return isMigrated;
          }),
        ]),
      );
      const isReady = services.isReady() && Object.values(checks).every(Boolean);
      if (!isReady) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
      sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', checks });
    },
  );
}
