import { readFile } from 'node:fs/promises';

/** Ticks of the kernel's process clock a second (sysconf _SC_CLK_TCK), 100 on every Linux in use. */
const TICKS_PER_SECOND = 100;

/** CPU that processes have used so far, user and system, in seconds. 0 where the system does not tell (no /proc). */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const used = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
      // The program's name is in parentheses and may hold spaces: count from behind it.
      const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
      return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
    }),
  );
  return used.reduce((sum, seconds) => sum + seconds, 0);
}
