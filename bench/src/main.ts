import { parseArgs } from 'node:util';
import { cpuSeconds } from './cpu.js';
import { endToEnd, type EndToEndResult } from './end-to-end.js';
import { lists } from './lists.js';
import { nodes } from './nodes.js';
import { scripts } from './scripts.js';
import { startStack, type Stack } from './stack.js';
import { webhooks } from './webhooks.js';

/** Runs that warm up the processes before anything is measured. */
const WARM_UP = 1_000;
/** Scripts measured, each way. */
const SCRIPTS = 1_000;

interface Options {
  readonly runs: number;
  readonly connections: number;
  readonly repeat: number;
  /** Old runs that lists are measured among. */
  readonly oldRuns: number;
}

const SCENARIOS: Readonly<Record<string, (stack: Stack, options: Options) => Promise<boolean>>> = {
  'end-to-end': measureEndToEnd,
  lists: measureLists,
  nodes: measureNodes,
  scripts: measureScripts,
  webhook: measureWebhooks,
};

/** Runs the benchmarks. @param args what stands behind `npm run bench --`. @returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string', default: 'end-to-end' },
      runs: { type: 'string', default: '10000' },
      connections: { type: 'string', default: '50' },
      repeat: { type: 'string', default: '3' },
      'old-runs': { type: 'string', default: '1000000' },
      profile: { type: 'string' },
    },
  });
  const measure = SCENARIOS[values.scenario];
  if (measure === undefined) {
    console.error(`No scenario ${values.scenario}: use one of ${Object.keys(SCENARIOS).join(', ')}.`);
    return 1;
  }
  console.log('Starting PostgreSQL (fsync on), Redis, one API and one worker ...');
  const stack = await startStack({ profileDir: values.profile });
  try {
    const isRight = await measure(stack, {
      runs: Number(values.runs),
      connections: Number(values.connections),
      repeat: Number(values.repeat),
      oldRuns: Number(values['old-runs']),
    });
    return isRight ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

async function measureEndToEnd(stack: Stack, { runs, connections, repeat }: Options): Promise<boolean> {
  const cpuOf = (): Promise<number> => cpuSeconds([stack.api.pid, stack.worker.pid]);
  console.log('Warming up ...');
  await endToEnd(stack, { runs: WARM_UP, connections, cpuOf });
  const results: EndToEndResult[] = [];
  for (let i = 1; i <= repeat; i += 1) {
    console.log(`Measuring ${i} of ${repeat}: ${runs} runs of four nodes over ${connections} connections ...`);
    results.push(await endToEnd(stack, { runs, connections, cpuOf }));
  }
  print(results);
  return results.every(({ lost }) => lost === 0);
}

async function measureLists(stack: Stack, { oldRuns }: Options): Promise<boolean> {
  console.log(`Writing ${oldRuns} finished runs ...`);
  const results = await lists(stack, { runs: oldRuns });
  const round = (ms: number): number => Number(ms.toFixed(1));
  console.table(
    results.lists.map(({ query, rows, statements, serverMs, httpMs }) => ({
      query,
      rows,
      statements,
      'server ms': round(serverMs),
      'HTTP ms': round(httpMs),
    })),
  );
  console.table(
    results.exports.map((row) => ({
      export: row.format,
      rows: row.rows,
      MB: row.megabytes,
      'first byte ms': row.firstByteMs,
      s: round(row.seconds),
      'API RSS before MB': row.rssBefore,
      'API RSS peak MB': row.rssPeak,
    })),
  );
  return true;
}

async function measureNodes(stack: Stack, { repeat }: Options): Promise<boolean> {
  console.log('Running long chains and loops ...');
  const results = await nodes(stack, repeat);
  console.table(
    results.map((result) => ({
      shape: result.shape,
      's in all': Number((result.ms / 1_000).toFixed(2)),
      'µs a node': Number(result.microsPerNode.toFixed(1)),
      'worker RSS before MB': result.rssBefore,
      'worker RSS peak MB': result.rssPeak,
    })),
  );
  return true;
}

async function measureScripts(): Promise<boolean> {
  console.log(`Running ${SCRIPTS} trivial scripts of code nodes ...`);
  const { coldStartMs, sequentialMicros, parallelMicros, abortMs } = await scripts(SCRIPTS);
  console.table({
    scripts: {
      'first ms': Math.round(coldStartMs),
      'µs each, one by one': Math.round(sequentialMicros),
      'µs each, all threads': Math.round(parallelMicros),
      'abort ms': Number(abortMs.toFixed(1)),
    },
  });
  return true;
}

async function measureWebhooks(stack: Stack): Promise<boolean> {
  console.log('Asking for answers at the end of a run of four nodes, and of a bare job of the same queue ...');
  const results = await webhooks(stack);
  const round = (ms: number): number => Number(ms.toFixed(1));
  console.table(
    results.map(({ perSecond, p50, p99, ...result }) => ({
      ...result,
      'requests/s': Math.round(perSecond),
      'p50 ms': round(p50),
      'p99 ms': round(p99),
    })),
  );
  return results.every(({ lost, crossed, doubled }) => lost === 0 && crossed === 0 && (doubled ?? 0) === 0);
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
