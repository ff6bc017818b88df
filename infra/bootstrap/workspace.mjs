import { existsSync, readdirSync, rmSync } from 'node:fs';
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

/** Returns the path of the compiled form of a source `file` of the package in `folder`. */
export function compiled(folder, file) {
  return join(ROOT, folder, 'dist', file.slice(join(ROOT, folder, 'src').length)).replace(/\.ts$/, '.js');
}

/** Removes compiled files without a source: TypeScript keeps them, and code that reads the folder would find them. */
export function sweepCompiled(folder) {
  const dist = join(ROOT, folder, 'dist');
  for (const file of filesBelow(`${folder}/dist`, (name) => /\.(js|d\.ts)(\.map)?$/.test(name))) {
    const source = join(ROOT, folder, 'src', file.slice(dist.length)).replace(/\.(js|d\.ts)(\.map)?$/, '.ts');
    if (!existsSync(source)) rmSync(file);
  }
}
