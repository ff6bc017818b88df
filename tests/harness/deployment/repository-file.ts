import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where a path of the repository is on this machine. */
export function repositoryPath(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

/** The text of a file of the repository. */
export function repositoryFile(path: string): string {
  return readFileSync(repositoryPath(path), 'utf8');
}
