import { expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

const FOLDER = 'docs/decisions';
const read = (file: string) => readFileSync(repositoryPath(`${FOLDER}/${file}`), 'utf8');
const records = globSync('[0-9]*.md', { cwd: repositoryPath(FOLDER) }).sort();

it('the index of decisions has each record with its number and title, in their order', () => {
  const titles = records.map((file) => {
    const [, number, title] = /^# (\d+)\. (.+)\n/.exec(read(file)) ?? [];
    return `| ${number} | [${title}](${file}) |`;
  });
  const rows = read('README.md')
    .split('\n')
    .flatMap((line) => /^\| \d+ \| \[.+\]\(.+\) \|/.exec(line) ?? []);
  expect(rows).toEqual(titles);
});
