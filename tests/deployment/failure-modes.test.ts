import { expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';
import { readFailureModes } from '../harness/promises.ts';

/** A call of `promised` with the beginning of a row. */
const PROMISED = /promised\(\s*(?:'((?:[^'\\]|\\.)+)'|"([^"]+)")/g;

/** The test files that measure a promised duration, by how its row begins. */
const measured = globSync('tests/{e2e,integration}/**/*.test.ts', { cwd: repositoryPath('.') })
  .sort()
  .flatMap((file) =>
    [...readFileSync(repositoryPath(file), 'utf8').matchAll(PROMISED)].map(([, single, double]) => ({
      begins: single ?? double ?? '',
      test: `\`${file.replace(/^tests\//, '').replace(/\.test\.ts$/, '')}\``,
    })),
  );

it('durations of docs/failure-modes.md are measured by many tests', () => {
  expect(measured.length).toBeGreaterThan(20);
});

it.each(readFailureModes())('docs/failure-modes.md names the tests that measure: $failure', ({ failure, tests }) => {
  const expected = new Set(measured.filter(({ begins }) => failure.startsWith(begins)).map(({ test }) => test));
  expect(tests).toBe(expected.size === 0 ? '–' : [...expected].join(', '));
});
