// Puts each mutant of the list in, one at a time, and runs the tests that must fail with it:
//   npm run mutants -- [--only <text of the name or file>] [--sample <count>] [--changed <file>]… [--seed <number>]
//     [--trusted] [--results <file>]
// `--sample` tries so many of the files named by `--changed`, and so many of all. `--trusted` skips the run without a
// mutant: the tests are known to pass. `--results` writes the number of mutants that were noticed, and the survivors.
// A mutant that its tests do not notice shows a guard that no test holds.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTemplateServer } from '@deckhand/local';
import { startChild } from '../runner/start-child.mjs';
import { MUTANTS } from './list.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TEST_FILES = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const HOOK = new URL('hook.mjs', import.meta.url).href;
/** What must be killed of the mutants that are not explained. */
const MIN_SHARE = 0.95;
/** A mutant may make its tests hang; each has a limit of its own well below this, in ms. */
const LIMIT_MS = 240_000;
/** By itself each test ends well within this. */
const TEST_LIMIT_MS = 60_000;
/** Mutants tried at once. */
const AT_ONCE = 2;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    changed: { type: 'string', multiple: true, default: [] },
    results: { type: 'string' },
    seed: { type: 'string', default: '1' },
    trusted: { type: 'boolean', default: false },
  },
});

const chosen = choose(MUTANTS.filter(({ name, file }) => `${file} ${name}`.includes(values.only)));
if (chosen.length === 0) throw new Error(`no mutant has "${values.only}" in its name or file`);

const startedAt = performance.now();
const server = await startTemplateServer();
process.env.TEST_POSTGRES_URL = server.url;
const survivors = [];
try {
  if (!values.trusted) await eachOf([...new Set(chosen.map(({ tests }) => tests))], checkTests);
  await eachOf(chosen, tryMutant);
} finally {
  await server.stop();
}
const unexplained = survivors.filter(({ survives }) => !survives);
for (const { file, name, survives } of survivors.filter((mutant) => mutant.survives))
  console.log(`- ${file}: ${name}: ${survives}`);
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const killed = chosen.length - survivors.length;
console.log(`${killed} killed, ${survivors.length} survived (${unexplained.length} unexplained) in ${seconds} s`);
if (values.results !== undefined) {
  mkdirSync(dirname(values.results), { recursive: true });
  const names = unexplained.map(({ file, name }) => `${file}: ${name}: no test noticed that it was taken away`);
  writeFileSync(values.results, JSON.stringify({ noticed: chosen.length - unexplained.length, survivors: names }));
}
process.exitCode = (chosen.length - unexplained.length) / chosen.length >= MIN_SHARE ? 0 : 1;

/** Tests that fail by themselves would kill everything. */
async function checkTests(tests) {
  if (!(await passes(tests, undefined))) throw new Error(`${tests} fails without a mutant`);
}

async function tryMutant(mutant, index) {
  const isKilled = !(await passes(mutant.tests, mutant));
  const verdict = isKilled ? 'killed' : mutant.survives ? 'survived, as explained' : 'SURVIVED';
  console.log(`${index + 1}/${chosen.length} ${verdict}: ${mutant.file}: ${mutant.name}`);
  if (!isKilled) survivors.push(mutant);
}

/** Acts on each item, a few at once, as tests wait more than they compute. */
async function eachOf(items, act) {
  const entries = items.entries();
  const lane = async () => {
    for (const [index, item] of entries) await act(item, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Returns all mutants, or samples of those in changed files and of all. */
function choose(mutants) {
  if (values.sample === undefined) return mutants;
  const inChanged = mutants.filter(({ file }) => values.changed.includes(file));
  return [...new Set([...sample(inChanged), ...sample(mutants)])];
}

/** Returns as many as wanted, chosen by the seed: the same seed chooses the same ones. */
function sample(mutants) {
  let state = Number(values.seed) >>> 0;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const keyed = mutants.map((mutant) => ({ mutant, key: random() }));
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, Number(values.sample))
    .map(({ mutant }) => mutant);
}

/** Returns the test files of `<project>:<path pattern>`. @throws if there is none. */
function filesOf(tests) {
  const [project, pattern] = tests.split(':');
  const folder = ['integration', 'e2e'].find((name) => name === project);
  const isOfProject = (path) =>
    folder === undefined ? !/^tests\/(integration|e2e)\//.test(path) : path.startsWith(`tests/${folder}/`);
  const files = TEST_FILES.filter((path) => isOfProject(path) && new RegExp(pattern).test(path));
  if (files.length === 0) throw new Error(`no test file matches ${tests}`);
  return files;
}

/** Returns whether the tests `<project>:<path pattern>` pass with the mutant, in a process of their own. */
async function passes(tests, mutant) {
  const env = mutant && { DECKHAND_MUTANT: JSON.stringify(mutant), NODE_OPTIONS: `--import=${HOOK}` };
  const child = startChild(ROOT, { env, stdio: 'ignore' });
  const timer = setTimeout(() => child.kill(), LIMIT_MS);
  try {
    for (const path of filesOf(tests)) {
      const task = { path: `${ROOT}${path}`, testTimeoutMs: TEST_LIMIT_MS, endsByFailure: true };
      const { isFailed, circus } = await child.run(task);
      if (isFailed || circus.unhandledErrors.length > 0) return false;
    }
    return true;
  } catch {
    // With the mutant, a file cannot be loaded, or its process ended or was too slow.
    return false;
  } finally {
    clearTimeout(timer);
    await child.kill();
  }
}
