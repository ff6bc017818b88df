// Lays out what one app needs to run, as its image holds it: node infra/docker/assemble.mjs api|worker <folder>
// Everything must be built. Folders keep their places, since packages find migrations and static files by them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../bootstrap/paths.mjs';
import { PNPM } from '../bootstrap/preparations.mjs';
import { packageFolders } from '../bootstrap/workspace.mjs';
import { builtManifest } from '../pack/built-manifest.mjs';

/** Files that pnpm needs to install, and that are removed afterwards. */
const INSTALL_FILES = ['.npmrc', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];

/** The apps of each image: the API's also contains the operators' command. */
const APPS = { api: ['api', 'ops'], worker: ['worker'] };

const [app, folder] = process.argv.slice(2);
if (!Object.hasOwn(APPS, app ?? '') || folder === undefined) {
  console.error('Say what to assemble and where: node infra/docker/assemble.mjs api|worker <folder>');
  process.exit(1);
}
const target = resolve(folder);
if (existsSync(target) && readdirSync(target).length > 0) {
  console.error(`${target} is not empty.`);
  process.exit(1);
}

mkdirSync(target, { recursive: true });
for (const file of INSTALL_FILES) copy(file);
copy('prisma/schema.prisma');
copy('prisma/migrations');
for (const workspaceFolder of closure(APPS[app].map((name) => `apps/${name}`))) {
  copy(`${workspaceFolder}/dist`);
  // Built-in connectors are read beside the compiled files.
  if (existsSync(join(ROOT, workspaceFolder, 'packs'))) copy(`${workspaceFolder}/packs`);
  const manifest = JSON.parse(readFileSync(join(ROOT, workspaceFolder, 'package.json'), 'utf8'));
  writeFileSync(join(target, workspaceFolder, 'package.json'), JSON.stringify(builtManifest(manifest)));
}
install();
// Files that the API serves: the console, the packages of the clients, and the documentation. To the installation, the
// folder of the SDK would be its package.
const SERVED = [
  ...['apps/console/dist', 'infra/pack/dist'],
  ...['apps/api/assets', 'docs', 'CHANGELOG.md', 'packages/sdk/README.md', 'examples/patterns/README.md'],
];
if (app === 'api') for (const path of SERVED) copy(path);
for (const file of INSTALL_FILES) rmSync(join(target, file));
dropOtherDatabases();

function copy(path) {
  cpSync(join(ROOT, path), join(target, path), { recursive: true, filter: isNeeded });
}

/** Returns false for type declarations, which only compilers need. */
function isNeeded(path) {
  return !/\.d\.ts(\.map)?$|\.tsbuildinfo$/.test(path);
}

/** Returns the workspace folders that `roots` depend on, including themselves. */
function closure(roots) {
  const manifests = new Map(
    packageFolders().map((path) => [path, JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'))]),
  );
  const folderOf = new Map([...manifests].map(([path, { name }]) => [name, path]));
  const found = new Set(roots);
  // Iterating over a set includes elements that are added meanwhile.
  for (const path of found) {
    for (const name of Object.keys(manifests.get(path).dependencies ?? {})) {
      const dependency = folderOf.get(name);
      if (dependency !== undefined) found.add(dependency);
    }
  }
  return found;
}

/** Installs the production dependencies of every package in the folder. */
function install() {
  const filters = APPS[app].flatMap((name) => ['--filter', `@deckhand/${name}...`]);
  const args = ['--yes', PNPM, 'install', '--prod', '--frozen-lockfile', ...filters];
  execFileSync('npx', args, {
    cwd: target,
    env: { ...process.env, CI: 'true' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Removes the query compilers of other databases than PostgreSQL from Prisma's client: 60 MB. */
function dropOtherDatabases() {
  const compilers = readdirSync(join(target, 'node_modules/.pnpm'))
    .filter((name) => name.startsWith('@prisma+client@'))
    .flatMap((name) => {
      const runtime = join(target, 'node_modules/.pnpm', name, 'node_modules/@prisma/client/runtime');
      return readdirSync(runtime).map((file) => join(runtime, file));
    })
    .filter((file) => /query_compiler_\w+\.(?!postgresql)/.test(file));
  for (const file of compilers) rmSync(file);
}
