import { join } from 'node:path';
import { execa } from 'execa';
import { REPOSITORY } from '../repository.ts';
import { pathsOfLastCommits } from './history.ts';
import { readMutantResults, type TestResults } from './results.ts';

/** Which mutants are tried: all of them by default. */
export interface MutantChoice {
  /** How many of the files that the last commits changed, and how many of all. */
  readonly sample?: number;
  readonly seed?: number;
  /** The tests are known to pass without a mutant. */
  readonly isTrusted?: boolean;
}

/** Number of commits whose files a sample prefers. */
const RECENT_COMMITS = 30;

/** Removes guards, one at a time, to check that their tests fail. */
export async function runMutants({ sample, seed = 1, isTrusted = false }: MutantChoice): Promise<TestResults> {
  const results = join(REPOSITORY, '.deckhand', 'test-results', 'mutants.json');
  const args = ['tests/mutants/run.mjs', '--seed', String(seed), ...(isTrusted ? ['--trusted'] : [])];
  if (sample !== undefined) {
    args.push('--sample', String(sample));
    for (const path of new Set(await pathsOfLastCommits(RECENT_COMMITS))) args.push('--changed', path);
  }
  const run = await execa(process.execPath, [...args, '--results', results], {
    cwd: REPOSITORY,
    stdio: 'inherit',
    reject: false,
  });
  return readMutantResults(results, run.exitCode === 0);
}
