import { REPOSITORY } from '@deckhand/local';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { sharedServerUrl } from './databases.ts';

const run = promisify(execFile);

/** Where the packed clients are. */
const DOWNLOADS = join(REPOSITORY, 'infra/pack/dist');

/** Compiles, bundles and packs what images contain (`npm run build`), unless that was done for the same sources. */
export async function buildAll(): Promise<void> {
  await prepare('build');
}

/** Packs the clients, unless that was done for the same sources. @returns the tarball of each. */
export async function packClients(): Promise<Readonly<Record<'sdk' | 'cli' | 'testing', string>>> {
  await prepare('pack');
  const path = (name: string): string => join(DOWNLOADS, `deckhand-${name}.tgz`);
  return { sdk: path('sdk'), cli: path('cli'), testing: path('testing') };
}

/** Runs a preparation. Test files that run at the same time wait for each other: none reads half of a result. */
async function prepare(command: 'build' | 'pack'): Promise<void> {
  const url = new URL(sharedServerUrl());
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    // The session holds it, so it is released even if this process is killed.
    await client.query("SELECT pg_advisory_lock(hashtext('build'))");
    await run(process.execPath, [join(REPOSITORY, 'infra/bootstrap.mjs'), command], { cwd: REPOSITORY });
  } finally {
    await client.end();
  }
}
