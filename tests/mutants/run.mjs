// Puts each mutant of the list in, one at a time, and runs the tests that must fail with it:
//   npm run mutants -- [--only <text of the name or file>] [--sample <count>] [--seed <number>]
// A mutant that its tests do not notice shows a guard that no test holds.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS } from './list.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONFIG = fileURLToPath(new URL('jest.config.mjs', import.meta.url));
/** What must be killed of the mutants that are not explained. */
const MIN_SHARE = 0.95;
/** A mutant may make its tests hang; each has a limit of its own well below this, in ms. */
const LIMIT_MS = 240_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

checkList();
const chosen = sample(MUTANTS.filter(({ name, file }) => `${file} ${name}`.includes(values.only)));
if (chosen.length === 0) throw new Error(`no mutant has "${values.only}" in its name or file`);

// Tests that fail by themselves would kill everything.
for (const tests of new Set(chosen.map(({ tests }) => tests))) {
  if (!(await passes(tests, undefined))) throw new Error(`${tests} fails without a mutant`);
}
const survivors = [];
for (const [index, mutant] of chosen.entries()) {
  const isKilled = !(await passes(mutant.tests, mutant));
  const verdict = isKilled ? 'killed' : mutant.survives ? 'survived, as explained' : 'SURVIVED';
  console.log(`${index + 1}/${chosen.length} ${verdict}: ${mutant.file}: ${mutant.name}`);
  if (!isKilled) survivors.push(mutant);
}
const unexplained = survivors.filter(({ survives }) => !survives);
for (const { file, name, survives } of survivors.filter((mutant) => mutant.survives))
  console.log(`- ${file}: ${name}: ${survives}`);
console.log(
  `${chosen.length - survivors.length} killed, ${survivors.length} survived (${unexplained.length} unexplained)`,
);
process.exitCode = (chosen.length - unexplained.length) / chosen.length >= MIN_SHARE ? 0 : 1;

/** A mutant whose text stands no longer in its file, or stands there twice, tests nothing. */
function checkList() {
  for (const { file, find, name } of MUTANTS) {
    const found = readFileSync(`${ROOT}${file}`, 'utf8').split(find).length - 1;
    if (found !== 1) throw new Error(`${file}: the text of "${name}" stands there ${found} times: ${find}`);
  }
}

/** As many as wanted, chosen by the seed: the same seed chooses the same ones. */
function sample(mutants) {
  if (values.sample === undefined) return mutants;
  let state = Number(values.seed) >>> 0;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const keyed = mutants.map((mutant) => ({ mutant, key: random() }));
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, Number(values.sample))
    .map(({ mutant }) => mutant);
}

/** @returns whether the tests `<project>:<path pattern>` pass with the mutant. */
function passes(tests, mutant) {
  const [project, pattern] = tests.split(':');
  const args = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const jest = [
    `--config=${CONFIG}`,
    '--bail',
    '--silent',
    `--testPathPatterns=${pattern}`,
    '--selectProjects',
    project,
  ];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...args, ...jest], {
      cwd: ROOT,
      stdio: 'ignore',
      timeout: LIMIT_MS,
      env: { ...process.env, ...(mutant && { DECKHAND_MUTANT: JSON.stringify(mutant) }) },
    });
    child.once('close', (code) => resolve(code === 0));
  });
}
