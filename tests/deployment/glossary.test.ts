import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

const SOURCES = ['{apps,packages,infra,bench,tests,prisma}/**/*.{ts,tsx,mjs,prisma}', 'docs/**/*.{md,json}', '*.md'];
/** Built and installed files, history, and lists of words and labels that are not used. */
const EXEMPT =
  /(^|\/)(node_modules|dist|generated|decisions|migrations)\/|changelog\.md$|(glossary\.(md|test\.ts)|labels\.test\.ts)$/i;

const files = globSync(SOURCES, { cwd: repositoryPath('.'), exclude: ['**/node_modules', '**/dist'] })
  .filter((path) => !EXEMPT.test(path))
  .map((path) => ({ path, text: readFileSync(repositoryPath(path), 'utf8') }));

const [, banned = ''] = readFileSync(repositoryPath('docs/glossary.md'), 'utf8').split('## Words that we do not use');
const words = banned
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| not'))
  .flatMap((line) => (line.split('|')[1] ?? '').replace(/ at the end.*/, '').split(','))
  .map((word) => word.trim());

/** Identifiers are written as code and found exactly; phrases in any case, also across lines. */
function patternOf(word: string): RegExp {
  const code = /^`(.+)`$/.exec(word)?.[1];
  if (code?.startsWith('_')) return new RegExp(`\\b[A-Z][A-Z0-9_]*${code}\\b`);
  if (code !== undefined) return new RegExp(`\\b${code}\\b`);
  return new RegExp(`\\b${word.replaceAll(' ', '(?:\\s|\\*|//)+')}\\b`, 'i');
}

describe('the glossary', () => {
  it('lists words that are not used', () => {
    expect(words.length).toBeGreaterThan(20);
    expect(files.length).toBeGreaterThan(500);
  });

  it.each(words)('%s does not occur', (word) => {
    const pattern = patternOf(word);
    expect(files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['`culprit`', 'const culprit = 1;', true],
    ['`culprit`', 'const culprits = 1;', false],
    ['under way', ' * is under\n * way now', true],
    ['`_MAX`', 'ITEMS_MAX', true],
    ['`_MAX`', 'MAX_ITEMS', false],
  ])('finds %s in %j: %p', (word, text, isFound) => {
    expect(patternOf(word).test(text)).toBe(isFound);
  });
});
