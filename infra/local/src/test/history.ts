import { execa } from 'execa';
import { REPOSITORY } from '../repository.ts';

async function git(...args: readonly string[]): Promise<string | undefined> {
  const run = await execa('git', args, { cwd: REPOSITORY, reject: false });
  return run.exitCode === 0 ? run.stdout : undefined;
}

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** Returns the abbreviated hash of the current commit; undefined outside of a repository. */
export function currentCommit(): Promise<string | undefined> {
  return git('rev-parse', '--short=8', 'HEAD');
}

/** Returns the paths that differ from a commit, those of untracked files too; undefined if git does not know it. */
export async function pathsChangedSince(commit: string): Promise<readonly string[] | undefined> {
  const [changed, untracked] = await Promise.all([
    git('diff', '--name-only', commit),
    git('ls-files', '--others', '--exclude-standard'),
  ]);
  return changed === undefined ? undefined : [...lines(changed), ...lines(untracked ?? '')];
}

/** Returns the paths that the last commits changed. */
export async function pathsOfLastCommits(count: number): Promise<readonly string[]> {
  return lines((await git('log', `--max-count=${count}`, '--name-only', '--format=')) ?? '');
}
