import { readFile } from 'node:fs/promises';

/** Between two samples, in ms. */
const SAMPLE_MS = 50;

/** Returns a process's resident memory in MB; 0 on systems without /proc. */
export async function rssOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024);
}

/** Runs something and samples a process's resident memory beside it, in MB. */
export async function withRssPeak<T>(
  pid: number,
  act: () => Promise<T>,
): Promise<{ value: T; before: number; peak: number }> {
  const before = await rssOf(pid);
  let peak = before;
  const sample = setInterval(() => {
    void rssOf(pid).then((rss) => {
      peak = Math.max(peak, rss);
    });
  }, SAMPLE_MS);
  try {
    return { value: await act(), before, peak };
  } finally {
    clearInterval(sample);
  }
}
