import { readdir, readFile } from 'node:fs/promises';

/** Ticks of the kernel's process clock a second (sysconf _SC_CLK_TCK), 100 on every Linux in use. */
const TICKS_PER_SECOND = 100;

interface ProcessStat {
  readonly parent: number;
  /** Own and of children that ended, user and system. */
  readonly ticks: number;
}

/**
 * Returns the CPU time that processes and their children have used so far, user and system, in seconds. 0 on systems
 * without /proc.
 */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const entries = await readdir('/proc').catch(() => []);
  const all = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(all.map(async (pid) => [pid, await readStat(pid)] as const));
  const ticks = stats.reduce(
    (sum, [pid, stat]) => (stat && (pids.includes(pid) || pids.includes(stat.parent)) ? sum + stat.ticks : sum),
    0,
  );
  return ticks / TICKS_PER_SECOND;
}

/** Fields of proc_pid_stat(5): 4 is the parent, 14 to 17 are utime, stime, cutime and cstime. */
async function readStat(pid: number): Promise<ProcessStat | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The program's name is in parentheses and may hold spaces: count from behind it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), ticks };
}
