import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { examplesOf } from '../../apps/api/src/docs/request-examples.ts';
import { readPages } from '../../apps/api/src/docs/pages.ts';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

/** Options by command: docs/cli.md is generated from the commands. The empty name has those of all commands. */
const commands = new Map(
  readFileSync(repositoryPath('docs/cli.md'), 'utf8')
    .split(/^### deckhand /m)
    .map((section, at): [string, ReadonlySet<string>] => [
      at === 0 ? '' : (section.split('\n')[0] ?? ''),
      new Set([...section.matchAll(/(?<=[`, ])--?[a-zA-Z][a-z-]*/g)].map(([option]) => option)),
    ]),
);

const { byFile } = await readPages(repositoryPath('.'));
const pages = [...byFile.values(), { file: 'README.md', markdown: readFileSync(repositoryPath('README.md'), 'utf8') }];
const lines = pages
  .filter(({ file }) => file !== 'docs/cli.md' && !file.startsWith('docs/decisions/'))
  .flatMap(({ file, markdown }) => [...shellLines(markdown), ...shownLines(markdown)].map((line) => [file, line]));

/** Returns the calls of the command in the shell examples of a page. */
function shellLines(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, text = '']) =>
    [...text.replaceAll('\\\n', ' ').matchAll(/(?<=^|\| |\w=\S* )deckhand .+$/gm)].map(([line]) => line),
  );
}

/** Returns the calls of the command that requests of a page are shown as. */
function shownLines(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```http\n([^]*?)^```$/gm)]
    .flatMap(([, text = '']) => examplesOf(text, []))
    .flatMap(({ label, text }) => (label === 'CLI' ? [text] : []));
}

describe('commands in the documentation', () => {
  it('exist, with their options', () => {
    const unknown = lines.filter(([, line = '']) => {
      const [, first = '', second = ''] = line.replace(/ #.*$/, '').split(' ');
      const options = commands.get(`${first} ${second}`) ?? commands.get(first);
      const used = [...line.replaceAll(/'[^']*'|"[^"]*"/g, '').matchAll(/(?<= )--?[a-zA-Z][a-z-]*/g)];
      return !options || used.some(([option]) => !options.has(option) && commands.get('')?.has(option) !== true);
    });
    expect(unknown).toEqual([]);
    expect(lines.length).toBeGreaterThan(60);
  });
});
