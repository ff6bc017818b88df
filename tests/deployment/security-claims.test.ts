import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

const text = readFileSync(repositoryPath('docs/security.md'), 'utf8');

/** Each claim's test: a file, then what it says, once or more often. */
const claims = [...text.matchAll(/`([\w./-]+\.test\.tsx?)`: ((?:"[^"]+"(?:, )?)+)/g)].flatMap(
  ([, file = '', said = '']) => [...said.matchAll(/"([^"]+)"/g)].map(([, title = '']) => [file, title] as const),
);

it('the claims of docs/security.md are many', () => {
  expect(claims.length).toBeGreaterThan(35);
});

it.each(claims)('%s says: %s', (file, title) => {
  expect(readFileSync(repositoryPath(file), 'utf8')).toContain(title);
});
