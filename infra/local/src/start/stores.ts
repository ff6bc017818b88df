import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { startPostgres } from '../postgres.ts';
import { startRedis } from '../redis.ts';
import { ensureRedisServer } from '../redis-server.ts';
import { keepRunning } from './keep-running.ts';
import type { StartSettings } from './settings.ts';
import type { Stack } from './stack.ts';

/** Preferred ports of these servers, so that their URLs stay the same between starts. */
const POSTGRES_PORT = 54_320;
const REDIS_PORT = 63_790;

/**
 * Starts PostgreSQL on the data in `folder`, unless a URL is set.
 * @returns its URL and the path of its data.
 */
export async function ensurePostgres(
  settings: StartSettings,
  stack: Stack,
): Promise<{ url: string; dataPath: string | undefined }> {
  if (settings.databaseUrl !== undefined) return { url: settings.databaseUrl, dataPath: undefined };
  const server = await startPostgres({
    dir: join(settings.folder, 'postgres'),
    port: await freePort(POSTGRES_PORT),
    database: 'deckhand',
    logPath: join(settings.folder, 'logs', 'postgres.log'),
  });
  stack.add('postgres', () => server.stop());
  void keepRunning(server, stack, console.error);
  return server;
}

/** Starts Redis on the data in `folder`, unless a URL is set; installs it first if necessary. */
export async function ensureRedis(
  settings: StartSettings,
  stack: Stack,
  say: (line: string) => void,
): Promise<{ url: string }> {
  if (settings.redisUrl !== undefined) return { url: settings.redisUrl };
  await ensureRedisServer(say);
  const server = await startRedis({
    dir: join(settings.folder, 'redis'),
    port: await freePort(REDIS_PORT),
    appendOnly: true,
    logPath: join(settings.folder, 'logs', 'redis.log'),
  });
  stack.add('redis', () => server.stop());
  void keepRunning(server, stack, console.error);
  return server;
}
