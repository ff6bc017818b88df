import { access, constants } from 'node:fs/promises';
import { delimiter } from 'node:path';
import which from 'which';

/** Folders that package managers install to, and that a user's PATH may lack. */
const MORE_FOLDERS = ['/usr/local/bin', '/usr/bin', '/usr/sbin'];

/** Returns the path of the first of these programs that is in the PATH, or undefined. */
export async function findProgram(names: readonly string[]): Promise<string | undefined> {
  const path = [process.env.PATH ?? '', ...MORE_FOLDERS].join(delimiter);
  for (const name of names) {
    const found = await which(name, { nothrow: true, path });
    if (found !== null) return found;
  }
  return undefined;
}

/** Returns true if `path` is a file that may be executed. */
export function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
