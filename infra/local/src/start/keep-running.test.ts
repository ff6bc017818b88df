import { describe, expect, it } from '@jest/globals';
import type { ManagedProcess } from '../managed-process.ts';
import { keepRunning } from './keep-running.ts';

/**
 * Returns how often a part was restarted that runs for so many ms each time; a negative number is a restart that fails.
 */
async function follow(runsForMs: readonly number[]): Promise<{ pauses: number[]; reports: string[] }> {
  const left = [...runsForMs];
  const pauses: number[] = [];
  const reports: string[] = [];
  let time = 0;
  let isStopping = false;
  const start = (): ManagedProcess => {
    const ms = left.shift() ?? 0;
    isStopping = left.length === 0;
    const ended = async (): Promise<string> => {
      await new Promise((resolve) => setImmediate(resolve));
      time += Math.max(ms, 0);
      return 'code 70';
    };
    return { name: 'worker 1', logPath: '/nowhere', ended: ended() } as ManagedProcess;
  };
  const part = {
    process: start(),
    restart() {
      part.process = start();
      return (left[0] ?? 0) < 0 ? Promise.reject(new Error('it was not ready')) : Promise.resolve();
    },
  };
  const clock = {
    now: () => time,
    pause: async (ms: number) => void pauses.push(ms),
  };
  await keepRunning(part, { isStopping: () => isStopping }, (line) => reports.push(line), clock);
  return { pauses, reports };
}

describe('a part that ends unasked', () => {
  it('is started again, after twice as long each time, 30 s at most', async () => {
    const { pauses, reports } = await follow([5, 5, 5, 5, 5, 5, 5, 5]);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(reports[0]).toContain('worker 1 ended unexpectedly (code 70) and is started again in 1 s');
  });

  it('begins anew once it ran for a minute', async () => {
    expect((await follow([5, 5, 60_000, 5])).pauses).toEqual([1_000, 2_000, 1_000]);
  });

  it('is started again also where that failed', async () => {
    const { pauses, reports } = await follow([5, 5, -1, 5]);
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
    expect(reports).toContain('it was not ready');
  });
});
