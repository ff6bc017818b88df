import { expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

const documents = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync(repositoryPath('docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];

/** A path below one of the folders of the sources, whole: none with a pattern or a placeholder in it. */
const SOURCE_PATH = /`((?:apps|packages|tests|infra|prisma|bench|docs)\/[\w./-]+)`/g;

it.each(documents)('%s names files and folders that exist', (document) => {
  const text = readFileSync(repositoryPath(document), 'utf8');
  // What is built is not there before the build.
  const named = [...text.matchAll(SOURCE_PATH)]
    .map(([, path = '']) => path)
    .filter((path) => !path.split('/').includes('dist'));
  expect(named.filter((path) => !existsSync(repositoryPath(path)))).toEqual([]);
});

it.each([
  ['README.md', ['sdk', 'cli']],
  ['docs/guides/README.md', ['sdk', 'cli']],
  ['docs/cli.md', ['cli']],
  ['packages/sdk/README.md', ['sdk']],
  ['apps/cli/README.md', ['cli']],
  ['packages/testing/README.md', ['testing']],
] as const)('%s says how to install %j from an instance', (document, clients) => {
  const text = readFileSync(repositoryPath(document), 'utf8');
  for (const client of clients)
    expect(text).toMatch(new RegExp(`(npm install|npx) (--\\S+ )?\\S+/downloads/deckhand-${client}\\.tgz`));
});
