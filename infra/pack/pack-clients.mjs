// Packs the clients that every instance serves, and that npm publishes, into infra/pack/dist, with their checksums:
// node infra/pack/pack-clients.mjs
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { parse } from 'yaml';
import { ROOT, WORK } from '../bootstrap/paths.mjs';
import { builtManifest } from './built-manifest.mjs';
import { CLIENTS, DOWNLOADS } from './clients.mjs';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/**
 * The files that a bundle with the engine finds by their names while it runs: the node types in `types/`, and the code
 * of the threads that run scripts and check inputs, and of the processes that read files.
 */
const ENGINE = {
  entries: {
    'code-thread': 'packages/nodes/src/code/thread.ts',
    'file-process': 'packages/nodes/src/files/process.ts',
    'schema-thread': 'packages/nodes/src/schemas/thread.ts',
    ...Object.fromEntries(
      readdirSync(join(ROOT, 'packages/nodes/src/types'))
        .filter((name) => /^[^.]+\.ts$/.test(name))
        .map((name) => [`types/${basename(name, '.ts')}`, `packages/nodes/src/types/${name}`]),
    ),
  },
  imports: {
    '#code-thread': './dist/code-thread.js',
    '#file-process': './dist/file-process.js',
    '#schema-thread': './dist/schema-thread.js',
  },
};

/**
 * Large packages that few users need: of images, and of language models, whose nodes tests mock. They are used where
 * somebody installs them beside a client.
 */
const isOptional = (id) => id === 'sharp' || id.startsWith('@ai-sdk/');

/** Packages of others stay dependencies: their licenses and updates come with them. */
const isDependency = (id) => !/^(\.|\/|#|\0|@deckhand\/)/.test(id);

const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const { catalog } = parse(readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8'));

/** Lays out a package as npm packs it. @returns its folder. */
async function layOut({ name, folder, exports: names, hasEngine }, parent) {
  const target = join(parent, name);
  mkdirSync(target);
  for (const file of [`${folder}/README.md`, 'LICENSE']) cpSync(join(ROOT, file), join(target, basename(file)));
  const { manifest, imported } = hasEngine ? await bundle(folder, target) : compile(folder, target);
  const text = JSON.stringify(published(manifest, { folder, names, imported }), null, 2);
  writeFileSync(join(target, 'package.json'), text);
  return target;
}

/** Compiles a package that imports no other. */
function compile(folder, target) {
  const to = ['--outDir', join(target, 'dist'), '--tsBuildInfoFile', join(target, '../tsbuildinfo')];
  const withoutMaps = ['--sourceMap', 'false', '--declarationMap', 'false'];
  tsc('-p', join(ROOT, folder, 'tsconfig.build.json'), ...to, ...withoutMaps);
  return { manifest: readJson(`${folder}/package.json`), imported: [] };
}

/** Bundles a package with the workspace packages that it imports. */
async function bundle(folder, target) {
  const manifest = readJson(`${folder}/package.json`);
  const sources = [...Object.values(manifest.bin ?? {}), ...(manifest.exports ? [manifest.exports['.']] : [])];
  const own = Object.fromEntries(sources.map((path) => [basename(path, '.ts'), join(folder, path)]));
  const entries = Object.entries({ ...own, ...ENGINE.entries });
  const bundled = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries.map(([name, path]) => [name, join(ROOT, path)])),
    platform: 'node',
    external: isDependency,
    // Modules of the workspace only export: what nobody imports of them goes, with what it imports itself.
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundled.write({ dir: join(target, 'dist'), chunkFileNames: '[name].js' });
  if (manifest.exports) declare(join(folder, manifest.exports['.']), join(target, 'dist'));
  const files = new Set(output.map(({ fileName }) => fileName));
  const imported = output
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((id) => !files.has(id) && !id.startsWith('node:'))
    .map((id) => /^(@[^/]+\/)?[^/]+/.exec(id)[0]);
  return { manifest: { ...manifest, imports: ENGINE.imports }, imported: [...new Set(imported)].sort() };
}

/** Declares what a file exports. Its types must be written out, and name no type of another file. */
function declare(path, folder) {
  const options = ['--declaration', '--emitDeclarationOnly', '--noCheck', '--noResolve', '--module', 'nodenext'];
  tsc('--ignoreConfig', join(ROOT, path), '--outDir', folder, '--target', 'es2024', ...options);
}

function tsc(...args) {
  execFileSync(process.execPath, [TSC, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
}

const versionsOf = (names) => Object.fromEntries(names.map((name) => [name, versionOf(name)]));

/** Returns the exact version of a dependency. @throws if the catalog does not have it. */
function versionOf(name) {
  const version = catalog[name];
  if (version === undefined) throw new Error(`${name} is imported and not in the catalog of pnpm-workspace.yaml`);
  return version;
}

/** Returns the manifest that npm gets, without what only the repository needs. */
function published(manifest, { folder, names, imported }) {
  const { name, version, description, license, type, sideEffects, engines, bin, imports, exports } =
    builtManifest(manifest);
  const { repository } = readJson('package.json');
  const required = imported.filter((one) => !isOptional(one));
  const optional = imported.filter(isOptional);
  return {
    ...{ name, version, description, license, type, sideEffects, engines, bin, imports },
    ...(repository && { repository: { ...repository, directory: folder } }),
    ...(names && { exports: Object.fromEntries(names.map((path) => [path, exports[path]])) }),
    files: ['dist'],
    ...(required.length > 0 && { dependencies: versionsOf(required) }),
    ...(optional.length > 0 && {
      peerDependencies: versionsOf(optional),
      peerDependenciesMeta: Object.fromEntries(optional.map((one) => [one, { optional: true }])),
    }),
    publishConfig: { access: 'public', provenance: true },
  };
}

mkdirSync(WORK, { recursive: true });
const work = mkdtempSync(join(WORK, 'pack-'));
try {
  const folders = [];
  for (const client of CLIENTS) folders.push(await layOut(client, work));
  const packed = join(work, 'packed');
  mkdirSync(packed);
  const args = ['pack', ...folders, '--json', '--ignore-scripts', '--pack-destination', packed];
  const entries = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  const sums = CLIENTS.map(({ name, tarball }) => {
    const { filename } = entries.find((entry) => entry.name === `@deckhand/${name}`);
    renameSync(join(packed, filename), join(packed, tarball));
    const sum = createHash('sha256')
      .update(readFileSync(join(packed, tarball)))
      .digest('hex');
    return `${sum}  ${tarball}\n`;
  });
  writeFileSync(join(packed, 'SHA256SUMS'), sums.join(''));
  rmSync(DOWNLOADS, { recursive: true, force: true });
  renameSync(packed, DOWNLOADS);
} finally {
  rmSync(work, { recursive: true, force: true });
}
