import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Tests that find more the longer they run; they start stores and processes of their own. By scenario: */
const LONG_TESTS = {
  /**
   * The full matrix of injected faults: every statement of a run's life fails before and after it landed, is slow, and
   * is cancelled, with every SQLSTATE. It prints a table of the cells and its counts.
   */
  faults: {
    project: 'e2e',
    tests: 'faults/statement-faults',
    env: (seconds: number) => ({ FAULT_MATRIX: 'full', FAULT_SECONDS: String(seconds) }),
  },
  /** Fail-overs of PostgreSQL under Patroni, and of Redis, under load. It runs alone, and takes some three minutes. */
  availability: {
    project: 'e2e',
    tests: 'availability/failover',
    env: () => ({ FAILOVER_TEST: 'true' }),
  },
  /** Requests to every route, by its schema and around it. */
  fuzz: {
    project: 'integration',
    tests: 'api/fuzz',
    env: (seconds: number) => ({ FUZZ_SECONDS: String(seconds) }),
  },
} as const;

/** The scenarios that are long tests. */
export type LongTest = keyof typeof LONG_TESTS;
export const LONG_TEST_NAMES: readonly string[] = Object.keys(LONG_TESTS);

export function isLongTest(scenario: string): scenario is LongTest {
  return Object.hasOwn(LONG_TESTS, scenario);
}

/** Runs a long test. @param minutes how long it tries. @returns whether it passed. */
export async function runLongTest(scenario: LongTest, minutes: number): Promise<boolean> {
  const { project, tests, env } = LONG_TESTS[scenario];
  const jest = spawn('npm', ['run', `test:${project}`, '--', '--testPathPatterns', tests], {
    env: { ...process.env, ...env(minutes * 60) },
    stdio: 'inherit',
  });
  const exit: unknown[] = await once(jest, 'exit');
  return exit[0] === 0;
}
