import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

const run = promisify(execFile);

/** Returns the command line of a running process; undefined if there is none, or it belongs to another user. */
export async function commandLine(pid: number): Promise<string | undefined> {
  try {
    process.kill(pid, 0);
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    return (await run('ps', ['-o', 'args=', '-p', String(pid)])).stdout;
  } catch {
    return undefined;
  }
}

/**
 * Resolves when a process that was killed has ended, whether its parent has noticed that or not. @param mark a part of
 * its command line: another process may get its number.
 */
export async function untilEnded(pid: number, mark: string): Promise<void> {
  while ((await commandLine(pid))?.includes(mark)) await sleep(5);
}

/** Returns the children of a process; an empty list if the system does not list them. */
export async function childPids(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return list.split(' ').filter(Boolean).map(Number);
}

/**
 * Stops a server of an earlier start, if `pid` still is that server: its command line must contain each of `marks`,
 * because the system reuses process numbers. Kills it after `graceMs`.
 * @returns whether there was one.
 */
export async function stopLeftover(options: {
  pid: number;
  marks: readonly string[];
  signal: NodeJS.Signals;
  graceMs: number;
}): Promise<boolean> {
  const isThere = async (): Promise<boolean> => {
    const line = await commandLine(options.pid);
    return line !== undefined && options.marks.every((mark) => line.includes(mark));
  };
  if (!(await isThere())) return false;
  process.kill(options.pid, options.signal);
  const deadline = Date.now() + options.graceMs;
  while (await isThere()) {
    if (Date.now() > deadline) process.kill(options.pid, 'SIGKILL');
    await sleep(50);
  }
  return true;
}
