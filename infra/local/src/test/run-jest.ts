import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { REPOSITORY } from '../repository.ts';

/**
 * Runs Jest on the terminal, with its results in the file `results`. @param env additional environment variables.
 * @returns whether it ended with exit code 0; the caller decides what no tests mean.
 */
export async function runJest(
  args: readonly string[],
  results: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  mkdirSync(dirname(results), { recursive: true });
  rmSync(results, { force: true });
  const jest = ['node_modules/jest/bin/jest.js', '--passWithNoTests', '--json', `--outputFile=${results}`, ...args];
  const run = await execa(process.execPath, jest, {
    cwd: REPOSITORY,
    env,
    stdin: 'inherit',
    // With --json, the standard output contains the results again.
    stdout: 'ignore',
    stderr: 'inherit',
    reject: false,
  });
  return run.exitCode === 0;
}
