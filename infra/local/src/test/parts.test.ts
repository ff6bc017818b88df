import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';
import { PARTS } from './parts.ts';
import { readPartNames, TESTING_PAGE } from './testing-page.ts';

const tracked = execFileSync('git', ['ls-files'], { cwd: REPOSITORY, encoding: 'utf8' }).trim().split('\n');

/** Folders of tests/e2e that belong to `npm test`. */
const JOURNEYS = /^tests\/e2e\/(journeys|console\/journeys)\//;

/** The patterns of test files that a part gives to Jest. */
function patternsOf(steps: (typeof PARTS)[number]['steps']): RegExp[] {
  return steps.flatMap((step) =>
    'mutants' in step
      ? []
      : step.jest.slice(step.jest.indexOf('--testPathPatterns') + 1).map((text) => new RegExp(text)),
  );
}

describe('the parts of the full run', () => {
  it('have every end-to-end test that npm test does not run, once', () => {
    const files = tracked.filter((path) => path.startsWith('tests/e2e/') && path.endsWith('.test.ts'));
    const others = files.filter((path) => !JOURNEYS.test(path));
    expect(others.length).toBeGreaterThan(0);
    const counts = others.map((path) => {
      const parts = PARTS.filter(({ steps }) => patternsOf(steps).some((pattern) => pattern.test(path)));
      return `${path}: ${parts.length}`;
    });
    expect(counts.filter((line) => !line.endsWith(': 1'))).toEqual([]);
  });

  it('name tests that exist', () => {
    for (const { name, steps } of PARTS) {
      for (const pattern of patternsOf(steps)) {
        expect([name, tracked.some((path) => path.endsWith('.test.ts') && pattern.test(path))]).toEqual([name, true]);
      }
    }
  });

  it('are reached by every source of the product, of the database and of the deployment', () => {
    const sources = globSync(['{apps,packages}/*/src/**/*.{ts,tsx}', 'prisma/**/*', 'infra/**/*.{ts,mjs,yaml}'], {
      cwd: REPOSITORY,
      exclude: ['**/node_modules/**', '**/generated/**', '**/*.test.ts'],
    });
    expect(sources.length).toBeGreaterThan(1_000);
    expect(sources.filter((path) => !PARTS.some(({ reachedBy }) => reachedBy.test(path)))).toEqual([]);
  });

  it('are reached by single files, too', () => {
    const reached = PARTS.filter(({ reachedBy }) => reachedBy.test('docs/openapi.json')).map(({ name }) => name);
    expect(reached).toEqual(['clients', 'deployment']);
  });

  it('are all in docs/testing.md, which says the same of each, and no others', () => {
    const page = readFileSync(join(REPOSITORY, TESTING_PAGE), 'utf8');
    expect([...readPartNames(page)]).toEqual(PARTS.map(({ name, about }) => [name, about]));
  });
});
