// Makes package.json fit to publish while npm packs a package: node ../../infra/pack/manifest.mjs write|restore
// In the repository, versions are "catalog:" and "workspace:*", which only pnpm understands. npm runs this before and
// after it packs (`prepack`, `postpack`), in the folder of the package.
import { builtManifest } from './built-manifest.mjs';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const MANIFEST = 'package.json';
const ORIGINAL = 'package.original.json';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Returns a manifest with the versions that are installed, and without what only the repository needs. */
function published(original) {
  const { dependencies = {}, ...manifest } = builtManifest(original);
  delete manifest.scripts;
  delete manifest.devDependencies;
  const versions = Object.keys(dependencies).map((name) => [name, read(`node_modules/${name}/${MANIFEST}`).version]);
  return versions.length === 0 ? manifest : { ...manifest, dependencies: Object.fromEntries(versions) };
}

/** The original is there only while npm packs, or after it was interrupted. */
function restore() {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
}

restore();
if (process.argv[2] === 'write') {
  const original = readFileSync(MANIFEST, 'utf8');
  writeFileSync(ORIGINAL, original);
  writeFileSync(MANIFEST, `${JSON.stringify(published(JSON.parse(original)), null, 2)}\n`);
}
