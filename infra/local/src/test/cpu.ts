import { readFileSync } from 'node:fs';

/** Clock ticks per second of /proc on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the CPU time of all processes that this one started and that have ended, with theirs, in seconds; undefined
 * on other systems than Linux. See proc_pid_stat(5): cutime and cstime.
 */
export function childCpuSeconds(): number | undefined {
  let stat: string;
  try {
    stat = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return undefined;
  }
  // The second field, the name, may contain spaces; the 16th and 17th are counted from the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
