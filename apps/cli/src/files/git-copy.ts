import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Returns whether Git has the content of a file, so that overwriting the file loses nothing. False for a file with
 * changes that are not committed, one outside a repository, and where there is no Git.
 */
export async function isCommitted(path: string): Promise<boolean> {
  const options = ['status', '--porcelain', '--ignored', '--untracked-files=all', '--', `:(literal)${basename(path)}`];
  try {
    return (await run('git', ['-C', dirname(path), ...options])).stdout === '';
  } catch {
    return false;
  }
}
