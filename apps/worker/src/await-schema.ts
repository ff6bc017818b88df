import { describePending, findPendingMigrations } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';

/** Interval of the checks of the database, in ms. */
const POLL_INTERVAL_MS = 1_000;
/** Interval at which an unchanged obstacle is logged again, in ms. */
const LOG_AGAIN_MS = 30_000;

/**
 * Waits until the database has every migration that this worker knows of: on an older schema it would damage runs. Also
 * waits for a database that cannot be reached. Logs the reason.
 */
export async function awaitSchema(databaseUrl: string, logger: Logger): Promise<void> {
  let logged = '';
  let loggedAt = 0;
  for (;;) {
    const obstacle = await findObstacle(databaseUrl);
    if (obstacle === undefined) {
      if (logged !== '') logger.info('schema of the database is up to date');
      return;
    }
    if (obstacle !== logged || performance.now() - loggedAt >= LOG_AGAIN_MS) {
      logger.error(`not taking jobs yet: ${obstacle}`);
      logged = obstacle;
      loggedAt = performance.now();
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

async function findObstacle(databaseUrl: string): Promise<string | undefined> {
  try {
    const pending = await findPendingMigrations(databaseUrl);
    return pending.length === 0 ? undefined : describePending(pending);
  } catch (error) {
    return `the migrations of the database cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
