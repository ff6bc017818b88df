// Lints the files that changed since they last passed: npm run lint:cached
// It is for quick feedback. A change of a type can make other files wrong, too: `npm run lint` looks at all of them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, WORK } from './bootstrap/paths.mjs';

/** Changed when this last ran, and names the files that did not pass. */
const STAMP = join(WORK, 'stamps', 'linted');
/** What the result for every file depends on. */
const COMMON = ['.oxlintrc.json', 'pnpm-lock.yaml'];

const startedAt = new Date();
const [lastAt, failed] = existsSync(STAMP)
  ? [statSync(STAMP).mtimeMs, readFileSync(STAMP, 'utf8').split('\n')]
  : [0, []];
const isChanged = (path) => (statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0) > lastAt;

const options = { cwd: ROOT, encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] };
const listing = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], options);
const all = listing.stdout.split('\n').filter((path) => /\.([cm]?js|tsx?)$/.test(path));
const files = COMMON.some(isChanged) ? all : all.filter((path) => isChanged(path) || failed.includes(path));
if (files.length > 0) {
  const { status, stdout } = spawnSync(
    'oxlint',
    ['--format=unix', '--no-error-on-unmatched-pattern', ...files],
    options,
  );
  const found = new Set([...stdout.matchAll(/^(.+?):\d+:\d+: /gm)].map(([, path]) => path));
  process.stdout.write(stdout);
  process.exitCode = status ?? 1;
  // It did not get to the files.
  if (status !== 0 && found.size === 0) process.exit();
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, [...found].join('\n'));
  // What changes while it runs is looked at the next time.
  utimesSync(STAMP, startedAt, startedAt);
}
