import { REPOSITORY } from '@deckhand/local';
import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What is compared with, at these versions. Nothing else of this repository uses them. */
const PEER_VERSIONS = {
  '@dbos-inc/dbos-sdk': '5.3.0',
  '@restatedev/restate-sdk': '1.17.2',
  '@restatedev/restate-server': '1.7.12',
} as const;

/** Where the apps that use them are: outside of the sources, whose imports must be installed. */
const APPS = fileURLToPath(new URL('../../peers/', import.meta.url));

/** Installs the peers from the npm registry into a folder of their own, beside the apps that use them. @returns it. */
export async function installPeers(): Promise<string> {
  const dir = join(REPOSITORY, '.deckhand', 'peers');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'package.json'), JSON.stringify({ private: true, dependencies: PEER_VERSIONS }, null, 2));
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: dir });
  await cp(APPS, dir, { recursive: true });
  return dir;
}
