import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORK } from './paths.mjs';

/**
 * Does `work` unless it was done for the same inputs before and its result still exists. An input counts by its
 * content, because a checkout or a copy changes times. @param name of the stamp. @param inputs.files paths of the
 * inputs. @param inputs.about other data that the result depends on. @param inputs.results paths that must exist
 * afterwards.
 */
export async function unlessDone(name, { files, about = '', results }, work) {
  const path = join(WORK, 'stamps', name);
  const fingerprint = fingerprintOf(files, about);
  if (results.every((result) => existsSync(result)) && read(path) === fingerprint) return;
  // Work that is cut short must be done again.
  rmSync(path, { force: true });
  await work();
  mkdirSync(join(WORK, 'stamps'), { recursive: true });
  writeFileSync(path, fingerprint);
}

function fingerprintOf(files, about) {
  const hash = createHash('sha256').update(about);
  for (const file of [...files].sort()) hash.update(`\0${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
