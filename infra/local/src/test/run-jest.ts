import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { REPOSITORY } from '../repository.ts';

/** Native ESM in Jest is behind a flag, and warns of it at every test file. */
const NODE_FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/**
 * Runs Jest on the terminal, with its counts in the file `results`. @param env additional environment variables.
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
  const run = await execa(process.execPath, [...NODE_FLAGS, ...jest], {
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
