import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '@deckhand/local';
import { transformFile } from '@swc/core';
import { stopLater } from './cleanup.js';

const run = promisify(execFile);

/** The folders that hold workspace packages which run in a worker. */
const GROUPS = ['apps', 'packages'] as const;

/** What an earlier commit built, or why it could not be. */
export type OlderBuild = { readonly root: string; readonly commit: string } | { readonly reason: string };

/**
 * Builds the packages of an earlier commit in a folder of its own, without types and with the dependencies that are
 * installed: some seconds. Needs the history, and dependencies that were the same then.
 * @param commit as git names it.
 */
export async function buildOlder(commit: string): Promise<OlderBuild> {
  const git = (...args: string[]) => run('git', args, { cwd: REPOSITORY, maxBuffer: 2 ** 28, encoding: 'buffer' });
  const resolved = await git('rev-parse', '--short', `${commit}^{commit}`).catch(() => undefined);
  if (!resolved) return { reason: `the history does not reach back to ${commit}` };
  const name = resolved.stdout.toString().trim();
  const lockFile = 'pnpm-lock.yaml';
  const olderLock = (await git('show', `${name}:${lockFile}`)).stdout.toString();
  if (dependenciesOf(olderLock) !== dependenciesOf(await readFile(join(REPOSITORY, lockFile), 'utf8'))) {
    return { reason: `${name} has other dependencies than those that are installed` };
  }
  const root = await mkdtemp(join(tmpdir(), 'deckhand-test-'));
  stopLater({ stop: () => rm(root, { recursive: true, force: true }) });
  const archive = join(root, 'archive.tar');
  await git('archive', '--output', archive, name, ...GROUPS, 'prisma', 'package.json', 'tsconfig.base.json');
  await run('tar', ['-xf', archive, '-C', root]);
  const generated = join('packages', 'db', 'src', 'generated');
  await generate(root, generated);
  for (const group of GROUPS) {
    for (const entry of await readdir(join(root, group))) {
      if (entry === 'console') continue;
      const folder = join(root, group, entry);
      await linkDependencies(root, join(REPOSITORY, group, entry), folder);
      await transpile(join(folder, 'src'), join(folder, 'dist'));
    }
  }
  return { root, commit: name };
}

/** The resolved packages: importers may come and go. */
function dependenciesOf(lock: string): string {
  return lock.slice(lock.indexOf('\npackages:'));
}

/** The database client of that commit's schema; what is installed generates it. */
async function generate(root: string, generated: string): Promise<void> {
  const schema = join('prisma', 'schema.prisma');
  const [older, present] = await Promise.all(
    [root, REPOSITORY].map((folder) => readFile(join(folder, schema), 'utf8')),
  );
  if (older === present) {
    await cp(join(REPOSITORY, generated), join(root, generated), { recursive: true });
    return;
  }
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  await run(
    process.execPath,
    [join(REPOSITORY, 'node_modules', 'prisma', 'build', 'index.js'), 'generate', '--schema', schema],
    {
      cwd: root,
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', DATABASE_URL: 'postgresql://localhost/none' },
    },
  );
  await rm(join(root, 'node_modules'));
}

/** Links what a package depends on: workspace packages of the same commit, all else as it is installed. */
async function linkDependencies(root: string, installed: string, folder: string): Promise<void> {
  const modules = join(installed, 'node_modules');
  const names = await readdir(modules).catch(() => []);
  for (const name of names.filter((entry) => !entry.startsWith('.'))) {
    const scoped = name.startsWith('@')
      ? (await readdir(join(modules, name))).map((entry) => join(name, entry))
      : [name];
    for (const dependency of scoped) {
      const target = await realpath(join(modules, dependency));
      const inRepository = relative(REPOSITORY, target);
      const isOwn = dependency.startsWith('@deckhand/');
      const link = join(folder, 'node_modules', dependency);
      await mkdir(dirname(link), { recursive: true });
      await symlink(isOwn ? join(root, inRepository) : target, link);
    }
  }
}

/** Strips types: every source becomes JavaScript at the same place of `to`. */
async function transpile(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/(?<!\.test|\.d)\.ts$/.test(entry.name)) continue;
    const { code } = await transformFile(source, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023', transform: { verbatimModuleSyntax: true } },
      module: { type: 'es6' },
      swcrc: false,
    });
    const target = join(to, relative(from, source).replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
}
