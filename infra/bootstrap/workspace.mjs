import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

/** The package that a bundler builds, not the compiler. */
export const BUNDLED = 'apps/console';

/** Returns the folders of all workspace packages, relative to the repository (the same as in pnpm-workspace.yaml). */
export function packageFolders() {
  const below = (parent) =>
    readdirSync(join(ROOT, parent))
      .map((name) => `${parent}/${name}`)
      .filter((folder) => existsSync(join(ROOT, folder, 'package.json')));
  return [...below('apps'), ...below('packages'), 'infra/local', 'bench'];
}

/**
 * Returns every file below `folder` (relative to the repository) that `isWanted`; none if the folder does not exist.
 */
export function filesBelow(folder, isWanted) {
  const root = join(ROOT, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
