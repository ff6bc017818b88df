import { REPOSITORY } from '@deckhand/local';
import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { sharedServerUrl } from './databases.ts';

const run = promisify(execFile);

/**
 * Compiles and bundles what images and published packages contain (`npm run build`), unless that was done for the same
 * sources. Test files that run at the same time wait for each other: none reads half of a result.
 */
export async function buildAll(): Promise<void> {
  const url = new URL(sharedServerUrl());
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    // The session holds it, so it is released even if this process is killed.
    await client.query("SELECT pg_advisory_lock(hashtext('build'))");
    await run(process.execPath, [join(REPOSITORY, 'infra/bootstrap.mjs'), 'build'], { cwd: REPOSITORY });
  } finally {
    await client.end();
  }
}

/**
 * Builds packages, and packs them with npm into `folder`, as for the registry.
 * @returns the tarballs, and the copy of the repository in which npm packed.
 */
export async function packPackages(folder: string, packages: readonly string[]) {
  await buildAll();
  // A copy: npm changes package.json while it packs, which other tests read.
  const copy = join(folder, 'repository');
  const parts = packages.flatMap((path) => ['package.json', 'README.md', 'dist'].map((part) => join(path, part)));
  for (const path of [...parts, 'infra/pack']) cpSync(join(REPOSITORY, path), join(copy, path), { recursive: true });
  for (const path of packages) {
    // The versions that are published are the installed ones.
    symlinkSync(join(REPOSITORY, path, 'node_modules'), join(copy, path, 'node_modules'));
    await run('npm', ['pack', '--pack-destination', folder], { cwd: join(copy, path) });
  }
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => join(folder, name));
  return { tarballs, copy };
}
