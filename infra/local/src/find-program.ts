import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Folders that package managers install to, and that a user's PATH may lack. */
const MORE_FOLDERS = ['/usr/local/bin', '/usr/bin', '/usr/sbin'];

/** The path of the first of these programs that is in the PATH, or undefined. */
export async function findProgram(names: readonly string[]): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS];
  for (const name of names) {
    for (const folder of folders.filter((entry) => entry !== '')) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

/** Whether there is a file that may be run. */
export function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
