import { readFileSync } from 'node:fs';

/** Numbers of tests by result. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts of no tests. */
export const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/** The part of Jest's results that is counted. */
interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/**
 * Reads the counts from a file of Jest's results. A test file that could not even be loaded counts as a failure, and so
 * does a run that left no results.
 */
export function readCounts(path: string): TestCounts {
  let results: JestResults;
  try {
    results = JSON.parse(readFileSync(path, 'utf8')) as JestResults;
  } catch {
    return { ...NO_TESTS, failed: 1 };
  }
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

/** Adds two counts. */
export function sum(a: TestCounts, b: TestCounts): TestCounts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** Returns the last line of a test run. */
export function closingLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
