import { VERSION } from '@deckhand/runtime';
import { expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

const read = (path: string): string => readFileSync(repositoryPath(path), 'utf8');
const packages = globSync(
  ['package.json', 'bench/package.json', 'infra/*/package.json', '{apps,packages}/*/package.json'],
  {
    cwd: repositoryPath('.'),
  },
);

it.each(packages)('%s has the version that processes report', (path) => {
  expect(JSON.parse(read(path))).toMatchObject({ version: VERSION });
});

it('the chart and the newest part of the changelog have that version too', () => {
  expect(/^appVersion: (.+)$/m.exec(read('infra/helm/deckhand/Chart.yaml'))?.[1]).toBe(VERSION);
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(VERSION);
});
