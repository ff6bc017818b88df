import { setTimeout } from 'node:timers/promises';
import { hasUsers } from '@deckhand/db';
import type { Services } from './services.js';

/** Until the database can be asked, it is asked so often, in ms. */
const RETRY_MS = 2_000;

/** Logs the link to the setup if there is no user. Waits for a database that is away or not migrated yet. */
export async function announceSetup(
  { db, logger, setupToken, isReady }: Pick<Services, 'db' | 'logger' | 'setupToken' | 'isReady'>,
  publicUrl: string,
): Promise<void> {
  while (isReady()) {
    try {
      if (await hasUsers(db)) return;
      // The token is the link's fragment, which no server and no log of a proxy ever sees.
      logger.warn({ url: `${publicUrl}/setup#${setupToken}` }, 'there is no user yet: create the first owner there');
      return;
    } catch {
      await setTimeout(RETRY_MS, undefined, { ref: false });
    }
  }
}
