import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { readSecurityClaims } from '../../infra/local/src/test/claims.ts';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

// A run of a whole project also fails if no test passed that has the title.
const claims = readSecurityClaims().map(({ file, title }) => [file, title] as const);

it('the claims of docs/security.md are many', () => {
  expect(claims.length).toBeGreaterThan(35);
});

it.each(claims)('%s says: %s', (file, title) => {
  expect(readFileSync(repositoryPath(file), 'utf8')).toContain(title);
});
