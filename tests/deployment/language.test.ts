import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';

/** Constructions that a reader has to read twice, and what to write instead. */
const CONSTRUCTIONS: readonly (readonly [RegExp, string])[] = [
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more|slower|faster)[a-z]\w*/gi, '"is not a …"'],
  [/\b(?:of )?which there (?:is|are)\b/gi, 'a sentence of its own'],
  [/\bwhich (?:it|they) (?:has|have) not\b/gi, '"that it does not have"'],
  [/\b(?:is|are) to be\b/gi, '"has to", or the infinitive: "the runs to stop"'],
  [/\bas (?:many|much|large|long) as (?:may|can) be\b/gi, 'the limit by its name'],
];

const paths = ['apps', 'packages', 'infra', 'bench', 'tests', 'docs', 'examples', '*.md'];
const files = execFileSync('git', ['ls-files', '--', ...paths], { cwd: repositoryPath('.'), encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:tsx?|mjs|md|ya?ml)$/.test(file) && file !== 'tests/deployment/language.test.ts');

it('sources and pages have none of the constructions that a reader has to read twice', () => {
  const found = files.flatMap((file) => {
    const text = readFileSync(repositoryPath(file), 'utf8');
    return CONSTRUCTIONS.flatMap(([construction, instead]) =>
      [...text.matchAll(construction)].map(([sentence]) => `${file}: "${sentence}": write ${instead}`),
    );
  });
  expect(found).toEqual([]);
});
