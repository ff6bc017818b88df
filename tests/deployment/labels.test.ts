import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

/** Labels of earlier versions that people had to decode, with today's in `docs/console.md` and the sources. */
const OLD_LABELS = [
  'Under way',
  'Put off',
  'Taking runs',
  'Workers live',
  'Wedged',
  'Last heard of',
  'half within',
  'Took',
  'Leads to',
  'When it fails',
  'Go on with the error',
  'Leave by the way',
  'How often it is tried',
  'Seconds it may take',
  'Run again',
  'Begin at',
  'has put nothing out',
  'The run goes on',
  'Waiting for a person',
  'Filled in',
  'Nothing waits for a decision',
  'No node is chosen',
  'take a step back',
  'make it again',
  'Remove the node',
  'Tidy up',
  'Take up',
  'On the canvas, not saved',
  'Take theirs',
  'Save mine on top',
  'Open a test address',
  'Time for a run',
  'Runs at once',
  'Then counted anew',
  'Runs a minute',
  'For ever',
  'The whole instance',
  'Whatever is left empty',
  'The key is made',
  'Begins with',
  'A key acts as you',
  'Make a link',
  'Withdraw',
  'leads nowhere',
  'From where',
  'Of what',
  'Change it',
  'This one',
  'left out of statistics',
  'nothing acts outside',
];

const files = globSync(['apps/console/src/**/*.{ts,tsx}', 'docs/console.md', 'docs/nodes/*.md'], {
  cwd: repositoryPath('.'),
  exclude: ['**/*.test.ts'],
}).map((path) => ({ path, text: withoutComments(readFileSync(repositoryPath(path), 'utf8')) }));

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
}

/** Finds a label also where it is broken over lines; case counts, because sentences may contain the words. */
function contains(text: string, label: string): boolean {
  return new RegExp(`\\b${label.replaceAll(' ', '\\s+')}\\b`).test(text);
}

describe('labels of the console', () => {
  it.each(OLD_LABELS)('"%s" is not used', (label) => {
    expect(files.length).toBeGreaterThan(150);
    expect(files.filter(({ text }) => contains(text, label)).map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['Tidy up', '<Tool label="Tidy up" />', true],
    ['Tidy up', '// Tidy up\n', false],
    ['Take up', '<Text>Take\n  up</Text>', true],
    ['Took', 'const isTooked = 1', false],
  ])('finds %j in %j: %p', (label, text, isFound) => {
    expect(contains(withoutComments(text), label)).toBe(isFound);
  });
});
