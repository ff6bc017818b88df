import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { type Claim, findUnprovenClaims } from './claims.ts';

/** Numbers of tests by result, and what failed. */
export interface TestResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The file, name and error of each failure. */
  readonly failures: readonly string[];
}

/** The results of no tests. */
export const NO_RESULTS: TestResults = { passed: 0, failed: 0, skipped: 0, failures: [] };

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
 * Reads a file of Jest's results. A test file that could not be loaded counts as a failure, and so does a run that left
 * no results. @param isClean whether Jest ended with exit code 0: without a failed test, another code is a failure.
 * @param claims those on files that ran need a test that passed.
 */
export function readResults(path: string, isClean: boolean, claims: readonly Claim[] = []): TestResults {
  const results = parseResults(path);
  if (!results) {
    return { ...NO_RESULTS, failed: 1, failures: [`No results in ${path}: the tests were ended, or could not begin.`] };
  }
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const isOtherFailure = failed === 0 && !isClean;
  const unproven = failed === 0 ? findUnprovenClaims(claims, passedTests(results)) : [];
  return {
    passed: results.numPassedTests,
    failed: (isOtherFailure ? 1 : failed) + unproven.length,
    skipped: results.numPendingTests + results.numTodoTests,
    failures: [
      ...describeFailures(results),
      ...(isOtherFailure ? [`Jest failed without a failed test: ${path}`] : []),
      ...unproven.map(({ file, title }) => `${file}: no test passed whose title has "${title}", which a page claims`),
    ],
  };
}

function passedTests({ testResults }: JestResults) {
  return testResults.map(({ name, assertionResults }) => ({
    file: name,
    names: assertionResults.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
  }));
}

/** Reads what the mutants' command left: each mutant is a test that passed if the mutant was noticed. */
export function readMutantResults(path: string, isClean: boolean): TestResults {
  try {
    const { noticed, survivors } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly noticed: number;
      readonly survivors: readonly string[];
    };
    // A few survivors of many are accepted, which the command decides.
    return isClean
      ? { ...NO_RESULTS, passed: noticed }
      : { ...NO_RESULTS, passed: noticed, failed: Math.max(1, survivors.length), failures: survivors };
  } catch {
    return { ...NO_RESULTS, failed: 1, failures: [`No results in ${path}: the mutants were not tried.`] };
  }
}

/** Describes each failed test by its file, name and the first lines of its error, and each file that was not loaded. */
function describeFailures({ testResults }: JestResults): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message !== '') return [`${name}\n${firstLines(message)}`];
    return failed.map(
      ({ fullName, failureMessages }) => `${name}: ${fullName}\n${firstLines(failureMessages.join('\n'))}`,
    );
  });
}

function parseResults(path: string): JestResults | undefined {
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

/** Adds two results. */
export function addResults(a: TestResults, b: TestResults): TestResults {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
  };
}

/** Returns the last line of a test run. */
export function closingLine({ passed, failed, skipped }: TestResults): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
