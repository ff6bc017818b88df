import { parseArgs } from 'node:util';
import { startFloor } from './floor/start.js';
import { lists } from './lists.js';
import { nodes } from './nodes.js';
import { scripts } from './scripts.js';
import { startStack, type Stack } from './stack.js';
import { SUITE } from './suite/all.js';
import { printReport, writeReport } from './suite/report.js';
import { runSuite } from './suite/run-suite.js';

/** Scripts measured, each way. */
const SCRIPTS = 1_000;

interface Options {
  /** Part of the names of those of the suite's scenarios that are run. */
  readonly only: string;
  readonly repeat: number;
  /** A folder for the suite's result as JSON, Markdown and SVG. */
  readonly out: string | undefined;
  /** Old runs that lists are measured among. */
  readonly oldRuns: number;
}

const SCENARIOS: Readonly<Record<string, (stack: Stack, options: Options) => Promise<boolean>>> = {
  suite: measureSuite,
  lists: measureLists,
  nodes: measureNodes,
  scripts: measureScripts,
};

/** Runs the benchmarks. @param args what stands behind `npm run bench --`. @returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string', default: 'suite' },
      only: { type: 'string', default: '' },
      out: { type: 'string' },
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
      only: values.only,
      out: values.out,
      repeat: Number(values.repeat),
      oldRuns: Number(values['old-runs']),
    });
    return isRight ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

async function measureSuite(stack: Stack, { only, repeat, out }: Options): Promise<boolean> {
  const floor = await startFloor({ db: stack.db, databaseUrl: stack.postgres.url, redisUrl: stack.redis.url });
  try {
    const scenarios = SUITE.filter(({ name }) => name.includes(only));
    const result = await runSuite({ stack, floor }, scenarios, repeat, showProgress);
    console.log('');
    printReport(result);
    if (out !== undefined) await writeReport(out, result);
    return true;
  } finally {
    await floor.stop();
  }
}

const BAR = 24;

function showProgress(done: number, all: number, what: string): void {
  const filled = Math.round((done / all) * BAR);
  const line = `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${done}/${all} ${what}`;
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`);
  else console.log(line);
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
