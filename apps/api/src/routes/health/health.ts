import { LiveResponse, ReadyResponse } from '@deckhand/contracts';
import { pendingMigrations } from '@deckhand/db';
import { RETRY_AFTER_SECONDS } from '../../http/errors.js';
import { sendJson } from '../../http/respond.js';
import { open, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

/** GET /healthz: the process runs. */
export function live(_services: Services): Route {
  return open(
    'GET',
    '/healthz',
    { summary: 'Say that the process runs', returns: 'That it runs', responses: { 200: LiveResponse } },
    (_request, response) => {
      sendJson(response, 200, { status: 'ok' });
    },
  );
}

/** GET /readyz: PostgreSQL and Redis answer, every migration has run, and the process is not about to stop. */
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
      summary: 'Say whether requests can be served',
      returns: 'Whether they can, and what is missing',
      responses: { 200: ReadyResponse, 503: ReadyResponse },
    },
    async (_request, response) => {
      const checks = Object.fromEntries(
        await Promise.all([
          check('postgresql', async () => (await services.db.$queryRaw<unknown[]>`SELECT 1`).length === 1),
          check('redis', async () => (await services.redis.ping()).length > 0),
          check('migrations', async () => {
            // Migrations only ever come along with a new version of this process.
            isMigrated ||= (await pendingMigrations(services.databaseUrl)).length === 0;
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
