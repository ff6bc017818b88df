import { parseArgs } from 'node:util';
import { cpuSeconds } from './cpu.js';
import { endToEnd, type EndToEndResult } from './end-to-end.js';
import { startStack } from './stack.js';

/** Runs that warm up the processes before anything is measured. */
const WARM_UP = 1_000;

/** Runs the benchmarks. @param args what stands behind `npm run bench --`. @returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '10000' },
      connections: { type: 'string', default: '50' },
      repeat: { type: 'string', default: '3' },
      profile: { type: 'string' },
    },
  });
  const runs = Number(values.runs);
  const connections = Number(values.connections);
  console.log('Starting PostgreSQL (fsync on), Redis, one API and one worker ...');
  const stack = await startStack({ profileDir: values.profile });
  try {
    const cpuOf = (): Promise<number> => cpuSeconds([stack.api.pid, stack.worker.pid]);
    console.log('Warming up ...');
    await endToEnd(stack, { runs: WARM_UP, connections, cpuOf });
    const results: EndToEndResult[] = [];
    for (let i = 1; i <= Number(values.repeat); i += 1) {
      console.log(`Measuring ${i} of ${values.repeat}: ${runs} runs of four nodes over ${connections} connections ...`);
      results.push(await endToEnd(stack, { runs, connections, cpuOf }));
    }
    print(results);
    return results.every(({ lost }) => lost === 0) ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

function print(results: readonly EndToEndResult[]): void {
  console.table(
    results.map((result) => ({
      runs: result.runs,
      'accepted/s': Math.round(result.acceptedPerSecond),
      'finished/s': Math.round(result.finishedPerSecond),
      'accept p50 ms': result.acceptP50,
      'accept p99 ms': result.acceptP99,
      'CPU µs a run (API + worker)': Math.round(result.cpuPerRun),
      lost: result.lost,
    })),
  );
}
