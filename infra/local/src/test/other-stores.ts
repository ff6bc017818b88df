import { join } from 'node:path';
import { ensureDebianPostgres } from '../debian-postgres.ts';
import { ensurePgBouncer } from '../pgbouncer.ts';
import { REPOSITORY } from '../repository.ts';
import { NO_TESTS, readCounts, readFailures, sum, type TestCounts } from './counts.ts';
import { runJest } from './run-jest.ts';

/** Tests that run again with another PostgreSQL, or with a pooler. */
interface OtherStore {
  readonly name: string;
  /** Finds or installs the program. */
  readonly ensure: () => Promise<{ readonly path: string } | { readonly missing: string }>;
  /** Returns the environment that selects it. */
  readonly env: (path: string) => Readonly<Record<string, string>>;
  /** Pattern of the test files: those that send most kinds of statements. */
  readonly tests: string;
}

const OTHER_STORES: readonly OtherStore[] = [
  {
    name: 'PgBouncer in transaction mode',
    ensure: ensurePgBouncer,
    env: () => ({ TEST_POOLER: 'pgbouncer' }),
    tests: 'integration/worker/(timers|waits)',
  },
  {
    name: 'PostgreSQL of Debian',
    ensure: ensureDebianPostgres,
    env: (path) => ({ TEST_POSTGRES_BINARIES: path }),
    tests: 'integration/(executions/(accept|fences|recover|maintenance|concurrency)|schedules/clock|worker/retention)',
  },
];

/**
 * Runs a part of the integration tests with each of them. One that cannot be installed is skipped, with the reason.
 * @returns the counts, what failed, and whether every run succeeded.
 */
export async function testOtherStores(): Promise<{
  readonly counts: TestCounts;
  readonly failures: readonly string[];
  readonly isClean: boolean;
}> {
  let counts = NO_TESTS;
  const failures: string[] = [];
  let isClean = true;
  for (const [index, { name, ensure, env, tests }] of OTHER_STORES.entries()) {
    const found = await ensure();
    if ('missing' in found) {
      console.log(`- Tests with ${name} skipped: ${found.missing}`);
      continue;
    }
    console.log(`Tests with ${name} (${found.path})`);
    const results = join(REPOSITORY, '.deckhand', `test-results-other-${index + 1}.json`);
    const args = ['--testPathPatterns', tests, '--selectProjects', 'integration'];
    isClean = (await runJest(args, results, env(found.path))) && isClean;
    counts = sum(counts, readCounts(results));
    failures.push(...readFailures(results).map((failure) => `With ${name}: ${failure}`));
  }
  return { counts, failures, isClean };
}
