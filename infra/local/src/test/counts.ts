import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** Numbers of tests by result. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts of no tests. */
export const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/** The part of Jest's results that is read. */
interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** How much of an error is shown again at the end, in lines and characters of a line. */
const MAX_ERROR_LINES = 5;
const MAX_LINE_LENGTH = 240;
/** The place in a test file, in a line of a stack trace. */
const TEST_PLACE = /[\w./-]+\.test\.ts:\d+/;

/**
 * Reads the counts from a file of Jest's results. A test file that could not even be loaded counts as a failure, and so
 * does a run that left no results.
 */
export function readCounts(path: string): TestCounts {
  const results = readResults(path);
  if (!results) return { ...NO_TESTS, failed: 1 };
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

/**
 * Reads the failed tests from a file of Jest's results, so that they can be shown together at the end: each one's file,
 * name and the first lines of its error. Of a file that could not be loaded, the error.
 */
export function readFailures(path: string): string[] {
  const results = readResults(path);
  if (!results) return [`No results in ${path}: the tests were ended, or could not begin.`];
  return results.testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (assertionResults.length === 0 && message !== '') return [`${name}\n${firstLines(message)}`];
    return failed.map(
      ({ fullName, failureMessages }) => `${name}: ${fullName}\n${firstLines(failureMessages.join('\n'))}`,
    );
  });
}

function readResults(path: string): JestResults | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestResults;
  } catch {
    return undefined;
  }
}

/** Returns the first lines of an error, and of its stack trace the place in the test file. */
function firstLines(error: string): string {
  const lines = stripVTControlCharacters(error)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const isStack = (line: string): boolean => /^\s*at /.test(line);
  const place = lines.find((line) => isStack(line) && TEST_PLACE.test(line))?.match(TEST_PLACE)?.[0];
  const first = lines.filter((line) => !isStack(line)).slice(0, MAX_ERROR_LINES);
  return [...first, ...(place === undefined ? [] : [`at ${place}`])]
    .map((line) => `    ${line.slice(0, MAX_LINE_LENGTH)}`)
    .join('\n');
}

/** Adds two counts. */
export function sum(a: TestCounts, b: TestCounts): TestCounts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** Returns the last line of a test run. */
export function closingLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
