import type { Database } from '@deckhand/db';
import { connectRedis, openQueueShards, type QueueShards, type Redis } from '@deckhand/queue';
import { readSettings } from '@deckhand/runtime';
import { ExitError } from '@deckhand/terminal';
import { withDatabase } from './open-database.ts';
import { StoreSettings } from './settings.ts';

/** Maximum time until Redis responds, in ms. */
const CONNECT_TIMEOUT_MS = 5_000;

/** The stores of the instance. */
export interface OpenStores {
  readonly db: Database;
  readonly redis: Redis;
  readonly queue: QueueShards;
}

/**
 * Opens both stores, by DATABASE_URL and REDIS_URL, while `use` runs.
 * @throws ExitError if one cannot be reached.
 */
export async function withStores<T>(use: (stores: OpenStores) => Promise<T>): Promise<T> {
  const settings = readSettings(StoreSettings);
  return withDatabase(settings, async (db) => {
    const redis = connectRedis(settings.REDIS_URL, { role: 'producer' });
    try {
      await ready(redis);
      const queue = openQueueShards({ redisUrl: settings.REDIS_URL, redis, onError: () => undefined });
      try {
        return await use({ db, redis, queue });
      } finally {
        await queue.close();
      }
    } finally {
      redis.disconnect();
    }
  });
}

async function ready(redis: Redis): Promise<void> {
  let last = '';
  redis.on('error', (error: Error) => (last = `: ${error.message}`));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ExitError(`Redis (REDIS_URL) cannot be reached${last}.`));
    }, CONNECT_TIMEOUT_MS);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
