import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { commandLine } from '../leftover.ts';

/** Only one start at a time may use a checkout's data. */
export interface Lock {
  /** Whether an earlier holder was killed: its processes may still be stopping. */
  readonly isInherited: boolean;
  release(): void;
}

/**
 * Takes the lock at `path`, also from a holder that no longer runs.
 * @returns the process number of a holder that runs.
 */
export async function takeLock(path: string): Promise<Lock | { readonly ownerPid: number }> {
  mkdirSync(dirname(path), { recursive: true });
  for (let isInherited = false; ; isInherited = true) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return { isInherited, release: () => rmSync(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(readHolder(path));
    if (holder > 0 && (await isStart(holder))) return { ownerPid: holder };
    rmSync(path, { force: true });
  }
}

/** Process numbers are reused: the holder must still be a start. */
async function isStart(pid: number): Promise<boolean> {
  if (pid === process.pid) return false;
  const line = await commandLine(pid);
  return line !== undefined && line.includes('bootstrap.mjs') && line.includes('start');
}

function readHolder(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
