import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addResults, closingLine, NO_RESULTS, readMutantResults, readResults } from './results.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deckhand-test-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the closing line of a run of tests', () => {
  it('adds up rounds and mentions skipped tests only when there are any', () => {
    const first = { ...NO_RESULTS, passed: 3 };
    expect(closingLine(addResults(first, { ...NO_RESULTS, failed: 2 }))).toBe('3 passed, 2 failed');
    expect(closingLine(addResults(first, { ...NO_RESULTS, skipped: 1 }))).toBe('3 passed, 0 failed, 1 skipped');
  });

  it('counts a file that could not be loaded as a failure', () => {
    const path = join(dir, 'results.json');
    const results = {
      numPassedTests: 5,
      numFailedTests: 1,
      numPendingTests: 1,
      numTodoTests: 1,
      numRuntimeErrorTestSuites: 2,
      testResults: [],
    };
    writeFileSync(path, JSON.stringify(results));
    expect(readResults(path, false)).toEqual({ passed: 5, failed: 3, skipped: 2, failures: [] });
  });

  it('counts a run without results as a failure', () => {
    expect(readResults(join(dir, 'nothing.json'), true)).toMatchObject({ failed: 1, failures: [expect.any(String)] });
  });

  it('counts a bad end of Jest without a failed test as a failure', () => {
    const path = join(dir, 'results.json');
    const none = { numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 0 };
    writeFileSync(path, JSON.stringify({ numPassedTests: 5, ...none, testResults: [] }));
    expect(readResults(path, true).failed).toBe(0);
    expect(readResults(path, false)).toMatchObject({ passed: 5, failed: 1 });
  });

  it('counts mutants that nothing noticed as failures, unless the command accepts them', () => {
    const path = join(dir, 'mutants.json');
    writeFileSync(path, JSON.stringify({ noticed: 3, survivors: ['a.ts: a guard'] }));
    expect(readMutantResults(path, false)).toMatchObject({ passed: 3, failed: 1, failures: ['a.ts: a guard'] });
    expect(readMutantResults(path, true)).toMatchObject({ passed: 3, failed: 0 });
    expect(readMutantResults(join(dir, 'nothing.json'), false).failed).toBe(1);
  });
});

describe('the list of failures', () => {
  it('has the file, the name, the first lines of the error and its place for each failed test', () => {
    const path = join(dir, 'results.json');
    const stack =
      '    at until (/repo/until.ts:7:1)\n    at async /repo/tests/a.test.ts:12:5\n    at /repo/b.test.ts:9:9';
    const error = `\u001b[31mfirst\u001b[39m\n\n${Array.from({ length: 20 }, (_, n) => `line ${n}`).join('\n')}\n${stack}`;
    const testResults = [
      {
        name: 'a.test.ts',
        message: 'long',
        assertionResults: [
          { status: 'failed', fullName: 'a run › ends', failureMessages: [error] },
          { status: 'passed', fullName: 'a run › begins', failureMessages: [] },
        ],
      },
      { name: 'b.test.ts', message: 'Cannot find module', assertionResults: [] },
      { name: 'c.test.ts', message: '', assertionResults: [] },
    ];
    const counts = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0 };
    writeFileSync(path, JSON.stringify({ ...counts, numRuntimeErrorTestSuites: 1, testResults }));
    const [first, ...others] = readResults(path, false).failures;
    const lines = Array.from({ length: 4 }, (_, n) => `    line ${n}`);
    const place = '    at /repo/tests/a.test.ts:12';
    expect(first?.split('\n')).toEqual(['a.test.ts: a run › ends', '    first', ...lines, place]);
    expect(others).toEqual(['b.test.ts\n    Cannot find module']);
  });
});
