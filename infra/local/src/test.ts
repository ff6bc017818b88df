import { join } from 'node:path';
import { ensureChromium, NoChromiumError } from './chromium.ts';
import { ensureDebianPostgres } from './debian-postgres.ts';
import { ensureRedisServer, NoRedisError } from './redis-server.ts';
import { REPOSITORY } from './repository.ts';
import { closingLine, NO_TESTS, readCounts, readFailures, sum, type TestCounts } from './test/counts.ts';
import { testOtherStores } from './test/other-stores.ts';
import { runJest } from './test/run-jest.ts';
import { runMutants } from './test/run-mutants.ts';

/** True in CI: then everything is tested, also with other stores. */
const IS_CI = process.env.CI === 'true';

/** Number of parts of the end-to-end tests in CI: on a machine that is several times slower, one takes 15 minutes. */
const PARTS = 8;

/** Quick tests first, then those of whole processes: in CI in parts, of which a slow machine skips the last. */
const ROUNDS = [
  ['--selectProjects', 'unit', 'integration'],
  ...(IS_CI
    ? Array.from({ length: PARTS }, (_, part) => [`--shard=${part + 1}/${PARTS}`, '--selectProjects', 'e2e'])
    : [['--selectProjects', 'e2e']]),
];

/** Latest start of another part in CI, in ms from the beginning: CI ends what takes longer than 90 minutes. */
const LATEST_START_MS = 3_600_000;

/** Whether it is too late to begin another part in CI, which is then printed. */
function isTooLate(part: string): boolean {
  const minutes = Math.round(performance.now() / 60_000);
  if (!IS_CI || performance.now() < LATEST_START_MS) return false;
  console.log(`- Skipped, because CI has already taken ${minutes} minutes: ${part}`);
  return true;
}

/**
 * Installs what tests need and this system lacks; may be called again.
 * @returns 1 if a program is not available, after the reason has been printed.
 */
export async function installPrograms(): Promise<number> {
  try {
    await ensureRedisServer(console.log);
    await ensureChromium(console.log);
    if (IS_CI) {
      const postgres = await ensureDebianPostgres();
      if ('missing' in postgres) console.log(`- ${postgres.missing}: tests that need it are skipped`);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof NoRedisError || error instanceof NoChromiumError)) throw error;
    console.error(error.message);
    return 1;
  }
}

/**
 * `npm test`: makes sure of what tests need, runs them all, and ends with the line `N passed, N failed`. In CI some run
 * with other stores too, and a sample of the mutants is one more test.
 * @param args go to Jest: paths, `-t <name>`, or `--selectProjects <name>` for a choice of one's own.
 * @param failedChecks how many checks of the code failed before; they count as failed tests.
 * @returns 0 when at least one test ran and none failed.
 */
export async function main(args: string[], failedChecks = 0): Promise<number> {
  if ((await installPrograms()) !== 0) return 1;
  const rounds = args.includes('--selectProjects') ? [[]] : ROUNDS;
  let total: TestCounts = NO_TESTS;
  const failures: string[] = [];
  let isFailed = false;
  for (const [index, round] of rounds.entries()) {
    if (isTooLate(`the tests of ${round.join(' ')}`)) {
      total = sum(total, { ...NO_TESTS, skipped: 1 });
      continue;
    }
    // The choice of projects comes last: it takes every word that follows for another project.
    const results = join(REPOSITORY, '.deckhand', `test-results-${index + 1}.json`);
    const isClean = await runJest([...args, ...round], results);
    total = sum(total, readCounts(results));
    failures.push(...readFailures(results));
    isFailed ||= !isClean;
  }
  if (IS_CI && args.length === 0) {
    const others = await testOtherStores();
    total = sum(total, others.counts);
    failures.push(...others.failures);
    isFailed ||= !others.isClean;
    if (!isFailed && isTooLate('the mutants')) {
      total = sum(total, { ...NO_TESTS, skipped: 1 });
    } else {
      // Tests that fail by themselves would notice every mutant.
      const areNoticed = !isFailed && (await runMutants());
      total = sum(total, { ...NO_TESTS, passed: areNoticed ? 1 : 0, failed: areNoticed ? 0 : 1 });
    }
  }
  total = sum(total, { ...NO_TESTS, failed: failedChecks });
  if (failedChecks > 0) console.log(`${failedChecks} of the checks failed: see above`);
  if (failures.length > 0) console.log(`Failed:\n${failures.join('\n')}`);
  console.log(closingLine(total));
  return isFailed || total.failed > 0 || total.passed === 0 ? 1 : 0;
}
