import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { examplesOf } from '../../apps/api/src/docs/request-examples.ts';
import { type OpenApiPaths, operationsOf } from '../../apps/api/src/docs/operations.ts';
import { testCommand } from '../../apps/cli/src/commands/test.ts';
import type { TestedFile } from '../../apps/cli/src/files/junit.ts';
import { stopAll } from '../harness/cleanup.ts';
import { repositoryPath } from '../harness/deployment/repository-file.ts';
import { readRecipes, saveRecipes } from '../harness/recipes.ts';

/** The parts of every recipe, in their order. */
const PARTS = ['The workflow', 'Start it', 'What to change', 'When something fails', 'Its tests', 'See also'];

const readJson = (path: string): unknown => JSON.parse(readFileSync(repositoryPath(path), 'utf8'));
const operations = operationsOf(readJson('docs/openapi.json') as OpenApiPaths);
const checkFile = new Ajv2020({ strict: false }).compile(readJson('docs/workflow-file.schema.json') as object);
const recipes = await readRecipes();
const tested = await runTests();
afterAll(stopAll);

/** Runs `deckhand test` on the files of all recipes. @returns the results by slug. */
async function runTests(): Promise<ReadonlyMap<string, TestedFile>> {
  const results: TestedFile[] = [];
  const ignore = (): undefined => undefined;
  const output: Parameters<typeof testCommand>[0]['output'] = {
    isJson: true,
    result: (data) => void results.push(...(data as readonly TestedFile[])),
    entry: ignore,
    json: ignore,
    message: ignore,
  };
  await testCommand({ output }).parseAsync(['--dir', await saveRecipes(recipes)], { from: 'user' });
  process.exitCode = undefined;
  return new Map(results.map((file) => [file.slug, file]));
}

it('twenty recipes are on pages of their own, which the list names', () => {
  const list = readFileSync(repositoryPath('docs/recipes/README.md'), 'utf8');
  const listed = [...list.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title, file]) => [title, file]);
  expect(recipes).toHaveLength(20);
  expect(listed.sort()).toEqual(recipes.map(({ page }) => [page.title, page.file.replace('docs/recipes/', '')]).sort());
});

describe.each(recipes.map((recipe) => [recipe.page.title, recipe] as const))('%s', (_, { page, yaml }) => {
  const document = parse(yaml) as { readonly slug: string };

  it('leads to what its tests say, without a warning', () => {
    const { tests = [], warnings } = tested.get(document.slug) ?? {};
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`))).toEqual([]);
    expect(warnings).toBeUndefined();
  });

  it('is a file of the published schema, and has each part of a recipe', () => {
    checkFile(document);
    expect(checkFile.errors ?? []).toEqual([]);
    expect([...page.markdown.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(PARTS);
  });

  it('says how it is started, and shows its requests as calls of programs, too', () => {
    const [, start = ''] = /^## Start it$([^]*?)^## /m.exec(page.markdown) ?? [];
    expect(start.trim()).not.toBe('');
    const requests = [...start.matchAll(/^```http\n([^]*?)^```$/gm)].map(([, text = '']) => text);
    expect(requests.filter((request) => examplesOf(request, operations).length < 2)).toEqual([]);
  });
});
