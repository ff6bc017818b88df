import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY } from './repository.ts';
import { partsDue } from './test/due.ts';
import { currentCommit, pathsChangedSince } from './test/history.ts';
import { GATE_PROJECTS, PARTS, type TestPart } from './test/parts.ts';
import { installPrograms } from './test/programs.ts';
import { readSecurityClaims } from './test/claims.ts';
import { addResults, closingLine, NO_RESULTS, readResults, type TestResults } from './test/results.ts';
import { runJest } from './test/run-jest.ts';
import { runMutants } from './test/run-mutants.ts';
import { runPart } from './test/run-part.ts';
import { type GreenRun, readGreenRuns, TESTING_PAGE, withGreenRun } from './test/testing-page.ts';

/** Number of mutants that `npm test` tries in files of the last commits, and as many in all files. */
const MUTANTS_IN_GATE = 2;

/** Time that CI has for `npm test` and parts of the full run, in minutes from its beginning. */
const CI_BUDGET_MINUTES = 30;

/** How the checks of the code ended (`npm run verify`). */
export type CheckResults = Pick<TestResults, 'passed' | 'failed'>;

/**
 * `npm test`: checks of the code, then all tests of the gate with fixed seeds. In CI, parts of the full run follow as
 * far as the budget allows; those that it does not allow are listed as not run.
 * @param args go to Jest: paths, `-t <name>` or `--selectProjects <name>`. With any, only those tests run.
 * @param checks how the checks ended, which are counted too.
 * @returns 0 when at least one test ran and none failed.
 */
export async function main(args: readonly string[], checks: CheckResults): Promise<number> {
  if ((await installPrograms()) !== 0) return 1;
  if (args.length > 0) return finish(await runChosen(args));
  let results = addResults({ ...NO_RESULTS, ...checks }, await runGate());
  // Tests that fail by themselves would notice every mutant.
  if (results.failed === 0) results = addResults(results, await tryMutants());
  const isCi = process.env.CI === 'true';
  return finish(results, isCi && results.failed === 0 ? await runPartsOfCi() : undefined);
}

/**
 * `npm run test:full`: everything, or the parts named by `--part`; each green part is recorded in docs/testing.md.
 * @returns 0 when no test failed.
 */
export async function full(args: readonly string[], checks: CheckResults): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { part: { type: 'string', multiple: true } } });
  const unknown = values.part?.filter((name) => !PARTS.some((part) => part.name === name)) ?? [];
  if (unknown.length > 0) {
    console.error(`Unknown part ${unknown.join(', ')}: use ${PARTS.map(({ name }) => name).join(', ')}.`);
    return 1;
  }
  if ((await installPrograms()) !== 0) return 1;
  const commit = await currentCommit();
  const chosen = PARTS.filter(({ name }) => values.part?.includes(name) ?? true);
  let results: TestResults = { ...NO_RESULTS, ...checks };
  if (!values.part) results = addResults(results, await runGate());
  const isGateGreen = !values.part && results.failed === 0;
  for (const part of chosen) {
    const run = await runPart(part, isGateGreen);
    results = addResults(results, run);
    if (run.failed + run.skipped === 0 && run.passed > 0 && commit !== undefined)
      recordGreenRun(part, { ...run, commit });
  }
  return finish(results);
}

/** Runs chosen tests. A claim of a page is not held then: its test may not be among them. */
async function runChosen(args: readonly string[]): Promise<TestResults> {
  const path = join(REPOSITORY, '.deckhand', 'test-results', 'chosen.json');
  return readResults(path, await runJest(args, path));
}

async function runGate(): Promise<TestResults> {
  const path = join(REPOSITORY, '.deckhand', 'test-results', 'gate.json');
  return readResults(path, await runJest(['--selectProjects', ...GATE_PROJECTS], path), readSecurityClaims());
}

/** Tries a few mutants that the commit chooses, so that each commit tries others and a failure can be repeated. */
async function tryMutants(): Promise<TestResults> {
  return runMutants({ sample: MUTANTS_IN_GATE, seed: await seedOfCommit(), isTrusted: true });
}

async function seedOfCommit(): Promise<number> {
  return Number.parseInt((await currentCommit()) ?? '', 16) || 1;
}

/**
 * Runs parts while their last duration fits into the budget. A part without a green run has none, so it does not fit.
 * @returns the results, and the parts that did not fit.
 */
async function runPartsOfCi(): Promise<{ readonly results: TestResults; readonly notRun: readonly TestPart[] }> {
  const green = readGreenRuns(readPage());
  const changes = new Map<TestPart, readonly string[] | undefined>();
  for (const part of PARTS) {
    const last = green.get(part.name);
    changes.set(part, last && (await pathsChangedSince(last.commit)));
  }
  let results = NO_RESULTS;
  const notRun: TestPart[] = [];
  for (const part of partsDue(PARTS, await seedOfCommit(), (due) => changes.get(due))) {
    const minutes = green.get(part.name)?.minutes ?? Infinity;
    if (minutesSinceStart() + minutes <= CI_BUDGET_MINUTES) results = addResults(results, await runPart(part, true));
    else notRun.push(part);
  }
  return { results, notRun };
}

function minutesSinceStart(): number {
  return performance.now() / 60_000;
}

function recordGreenRun(part: TestPart, run: GreenRun): void {
  writeFileSync(join(REPOSITORY, TESTING_PAGE), withGreenRun(readPage(), part.name, run));
}

function readPage(): string {
  return readFileSync(join(REPOSITORY, TESTING_PAGE), 'utf8');
}

/** Prints failures, parts that were not run, and the closing line. @returns the exit code. */
function finish(results: TestResults, parts?: Awaited<ReturnType<typeof runPartsOfCi>>): number {
  const total = addResults(results, parts?.results ?? NO_RESULTS);
  if (total.failures.length > 0) console.log(`Failed:\n${total.failures.join('\n')}`);
  const names = parts?.notRun.map(({ name }) => name) ?? [];
  if (names.length > 0) {
    console.log(`Not run, as they did not fit into ${CI_BUDGET_MINUTES} minutes: ${names.join(', ')}`);
    console.log(`  npm run test:full -- ${names.map((name) => `--part ${name}`).join(' ')}`);
  }
  // A test that is skipped holds nothing.
  const isIncomplete = process.env.CI === 'true' && total.skipped > 0;
  if (isIncomplete) console.log('Tests were skipped, which CI counts as a failure: a program or a file is missing.');
  console.log(closingLine(total));
  return total.failed > 0 || total.passed === 0 || isIncomplete ? 1 : 0;
}
