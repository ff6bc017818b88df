import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DocPage, readPages, workflowFileOf } from '../../apps/api/src/docs/pages.ts';
import { stopLater } from './cleanup.ts';
import { repositoryPath } from './deployment/repository-file.ts';

/** A page of `docs/recipes`, and its workflow as a file for the command line. */
export interface Recipe {
  readonly page: DocPage;
  readonly yaml: string;
}

/** Returns the recipes, in the order of their files. */
export async function readRecipes(): Promise<readonly Recipe[]> {
  const { byFile } = await readPages(repositoryPath('.'));
  return [...byFile.values()].flatMap((page) => {
    const yaml = workflowFileOf(page);
    return yaml === undefined ? [] : [{ page, yaml }];
  });
}

/** Writes the workflows of recipes into a folder, as readers save them. @returns the folder, which is removed later. */
export async function saveRecipes(recipes: readonly Recipe[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deckhand-recipes-'));
  stopLater({ stop: () => rm(folder, { recursive: true }) });
  for (const { page, yaml } of recipes)
    await writeFile(join(folder, `${page.slug.replace('recipes/', '')}.yaml`), yaml);
  return folder;
}
