import { describePending, pendingMigrations } from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';

/** Between two looks at the database, in ms. */
const LOOK_MS = 1_000;
/** Between two lines in the log about the same, in ms. */
const REMIND_MS = 30_000;

/**
 * Resolves once the database has had every migration that this worker knows of: it would spoil runs on a schema that is
 * older. Says in the log what it waits for. A database that cannot be reached is waited for as well.
 */
export async function awaitSchema(databaseUrl: string, logger: Logger): Promise<void> {
  let said = '';
  let saidAt = 0;
  for (;;) {
    const obstacle = await findObstacle(databaseUrl);
    if (obstacle === undefined) {
      if (said !== '') logger.info('the database is as new as this worker: going on');
      return;
    }
    if (obstacle !== said || performance.now() - saidAt >= REMIND_MS) {
      logger.error(`not taking jobs yet: ${obstacle}`);
      said = obstacle;
      saidAt = performance.now();
    }
    await sleep(LOOK_MS);
  }
}

async function findObstacle(databaseUrl: string): Promise<string | undefined> {
  try {
    const pending = await pendingMigrations(databaseUrl);
    return pending.length === 0 ? undefined : describePending(pending);
  } catch (error) {
    return `the database cannot be asked for its migrations: ${error instanceof Error ? error.message : String(error)}`;
  }
}
