import { setTimeout } from 'node:timers/promises';
import { hasUsers } from '@deckhand/db';
import type { Services } from './services.ts';

/** Interval between attempts to reach the database, in ms. */
const RETRY_MS = 2_000;

/** Logs the link to the setup if there is no user. Waits until the database is available and migrated. */
export async function announceSetup(
  { people, monitoring }: Pick<Services, 'people' | 'monitoring'>,
  publicUrl: string,
): Promise<void> {
  const { db, setupToken } = people;
  const { logger, isReady } = monitoring;
  while (isReady()) {
    try {
      if (await hasUsers(db)) return;
      // The token is in the fragment of the link, which browsers do not send, so no log of a proxy contains it.
      logger.warn(
        { url: `${publicUrl}/setup#${setupToken}` },
        'no user exists: create the first owner at this address',
      );
      return;
    } catch {
      await setTimeout(RETRY_MS, undefined, { ref: false });
    }
  }
}
