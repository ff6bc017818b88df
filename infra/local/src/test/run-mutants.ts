import { execa } from 'execa';
import { REPOSITORY } from '../repository.ts';

/** Number of mutants in a sample. */
const SAMPLE = 4;

/**
 * Removes a few guards, one at a time, to check that their tests fail. The commit chooses them, so each commit tries
 * others, and a failure can be repeated.
 * @returns whether all were noticed.
 */
export async function runMutants(): Promise<boolean> {
  const commit = await execa('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: REPOSITORY, reject: false });
  const seed = String(Number.parseInt(commit.stdout, 16) || 1);
  const args = ['tests/mutants/run.mjs', '--trusted', '--sample', String(SAMPLE), '--seed', seed];
  console.log(`Taking away ${SAMPLE} guards: npm run mutants -- ${args.slice(1).join(' ')}`);
  const run = await execa(process.execPath, args, { cwd: REPOSITORY, stdio: 'inherit', reject: false });
  return run.exitCode === 0;
}
