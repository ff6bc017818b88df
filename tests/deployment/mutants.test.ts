import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';
import { MUTANTS } from '../mutants/list.ts';

it('the text of each mutant stands in its file once: otherwise it tests nothing', () => {
  const found = MUTANTS.map(({ file, find, name }) => {
    const count = readFileSync(repositoryPath(file), 'utf8').split(find).length - 1;
    return { file, name, count };
  });
  expect(found.filter(({ count }) => count !== 1)).toEqual([]);
});
