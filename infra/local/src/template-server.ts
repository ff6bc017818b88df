import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations } from '@deckhand/db';
import { startPostgres } from './postgres.ts';

/** The migrated database that tests clone: no client may stay connected to it. */
export const TEMPLATE_DATABASE = 'template_deckhand';

/** A server whose data is not needed after a crash need not wait for the disk. */
const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '256MB',
  max_connections: '400',
};

/** The file system in memory: a database has some 500 files, and each test file clones one. */
const MEMORY_FOLDER = '/dev/shm';
/** Free space there, in bytes, from which on the data is stored in it. */
const ROOM_BYTES = 6_442_450_944;

/**
 * Starts a throw-away PostgreSQL server for a run of tests, with a database that has every migration.
 * `stop` removes it with all its data. `TEST_POSTGRES_BINARIES` names the folder of another PostgreSQL's programs.
 */
export async function startTemplateServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const dir = await mkdtemp(join((await hasRoom(MEMORY_FOLDER)) ? MEMORY_FOLDER : tmpdir(), 'deckhand-tests-'));
  const { TEST_POSTGRES_BINARIES: binaries } = process.env;
  const server = await startPostgres({ dir, database: TEMPLATE_DATABASE, settings: NOT_DURABLE, binaries });
  await applyMigrations({ databaseUrl: server.url });
  return { url: server.url, stop: () => server.remove() };
}

async function hasRoom(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined);
  return found !== undefined && found.bavail * found.bsize >= ROOM_BYTES;
}
