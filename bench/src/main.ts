import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isLongTest, LONG_TEST_NAMES, runLongTest } from './long-tests.ts';
import { startFloor } from './floor/start.ts';
import { events } from './events.ts';
import { files } from './files.ts';
import { incomingEvents } from './incoming-events.ts';
import { backlog } from './backlog.ts';
import { batch } from './batch.ts';
import { bulkActions } from './bulk-actions.ts';
import { consolePages } from './console.ts';
import { fleet } from './fleet.ts';
import { fleetUpkeep } from './fleet-upkeep.ts';
import { growth } from './growth.ts';
import { history } from './history.ts';
import { lists } from './lists.ts';
import { nodes } from './nodes.ts';
import { overload } from './overload.ts';
import { peers } from './peers.ts';
import { plotSoak } from './plot-soak.ts';
import { PLACES, scaling } from './scaling.ts';
import { scripts } from './scripts.ts';
import { soak } from './soak.ts';
import { startStack, type Stack } from './stack.ts';
import { SUITE } from './suite/all.ts';
import { printReport, writeReport } from './suite/report.ts';
import { runSuite } from './suite/run-suite.ts';
import { median } from './suite/times.ts';
import { measureWaking } from './waking.ts';
import { walk } from './walk.ts';

/** Ports of the inspectors of the API and the worker, for the scenario that reads which functions a run calls. */
const INSPECTOR_PORTS = { api: 9_331, worker: 9_332 };

/** Number of scripts for each measurement. */
const SCRIPTS = 1_000;

interface Options {
  /** Part of the names of those of the suite's scenarios that are run. */
  readonly only: string;
  readonly repeat: number;
  /** A folder for the suite's result as JSON, Markdown and SVG. */
  readonly out: string | undefined;
  /** Old runs that lists are measured among. */
  readonly oldRuns: number;
  /** Duration of a soak. */
  readonly minutes: number;
  /** Runs that a soak starts a second. */
  readonly perSecond: number;
}

const SCENARIOS: Readonly<Record<string, (stack: Stack, options: Options) => Promise<boolean>>> = {
  suite: measureSuite,
  events: measureEvents,
  backlog: measureBacklog,
  batch: measureBatch,
  'bulk-actions': measureBulkActions,
  console: measureConsole,
  fleet: measureFleet,
  'fleet-upkeep': measureFleetUpkeep,
  'incoming-events': measureIncomingEvents,
  growth: measureGrowth,
  history: measureHistory,
  lists: measureLists,
  nodes: measureNodes,
  overload: measureOverload,
  peers: measurePeers,
  scaling: measureScaling,
  scripts: measureScripts,
  soak: measureSoak,
  waking: reportWaking,
  walk: measureWalk,
};

/** Runs the benchmarks. @param args the arguments after `npm run bench --`. @returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string', default: 'suite' },
      only: { type: 'string', default: '' },
      out: { type: 'string' },
      repeat: { type: 'string', default: '3' },
      'old-runs': { type: 'string', default: '1000000' },
      minutes: { type: 'string', default: '30' },
      'per-second': { type: 'string', default: '1000' },
      megabytes: { type: 'string', default: '1024' },
      profile: { type: 'string' },
    },
  });
  if (isLongTest(values.scenario)) return (await runLongTest(values.scenario, Number(values.minutes))) ? 0 : 1;
  if (values.scenario === 'files') {
    return (await measureFiles(Number(values.megabytes), values.only, values.profile)) ? 0 : 1;
  }
  const measure = SCENARIOS[values.scenario];
  if (measure === undefined) {
    console.error(
      `No scenario ${values.scenario}: use one of ${[...Object.keys(SCENARIOS), 'files', ...LONG_TEST_NAMES].join(', ')}.`,
    );
    return 1;
  }
  console.log('Starting PostgreSQL (fsync on), Redis, one API and one worker ...');
  const stack = await startStack({
    profileDir: values.profile,
    inspectorPorts: values.scenario === 'walk' ? INSPECTOR_PORTS : undefined,
    workerEnv: values.scenario === 'scaling' ? { WORKER_CONCURRENCY: String(PLACES) } : {},
  });
  try {
    const isRight = await measure(stack, {
      only: values.only,
      out: values.out,
      repeat: Number(values.repeat),
      oldRuns: Number(values['old-runs']),
      minutes: Number(values.minutes),
      perSecond: Number(values['per-second']),
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

/** Starts a stack for each store of files. */
async function measureFiles(megabytes: number, only: string, profileDir: string | undefined): Promise<boolean> {
  const results = await files(megabytes, only, { profileDir });
  console.table(results);
  return results.every(({ isRight }) => isRight);
}

async function measureGrowth(stack: Stack, { repeat, out }: Options): Promise<boolean> {
  const floor = await startFloor({ db: stack.db, databaseUrl: stack.postgres.url, redisUrl: stack.redis.url });
  try {
    const { sizes, rows } = await growth({ stack, floor }, repeat, showProgress);
    console.log('');
    const table = rows.map(({ scenario, metric, values }) => ({
      scenario,
      metric,
      ...Object.fromEntries(
        values.flatMap(({ measured, ratio }, index) => [
          [`${sizes[index]} runs`, Number(measured.toPrecision(3))],
          [`÷ floor at ${sizes[index]}`, ratio === null ? '–' : Number(ratio.toFixed(2))],
        ]),
      ),
    }));
    console.table(table);
    await write(out, 'growth.json', JSON.stringify(table, null, 2));
    return true;
  } finally {
    await floor.stop();
  }
}

async function measureHistory(stack: Stack, { repeat, oldRuns, out }: Options): Promise<boolean> {
  const floor = await startFloor({ db: stack.db, databaseUrl: stack.postgres.url, redisUrl: stack.redis.url });
  const none = await startStack({});
  try {
    const { rows, retention, ...filled } = await history(
      { many: stack, none, floor },
      { runs: oldRuns, repeat, onProgress: (what) => console.log(`  ${what}`) },
    );
    const rounded = (value: number): number => Number(value.toPrecision(3));
    const table = rows.map(({ what, none, many }) => ({
      what,
      none: rounded(median(none)),
      many: rounded(median(many)),
      ratio: rounded(median(many) / median(none)),
    }));
    console.table(table);
    console.table({ ...filled, ...retention, 'seconds a partition': retention.seconds / retention.partitions });
    await write(out, 'history.json', JSON.stringify({ ...filled, rows, retention }, null, 2));
    return true;
  } finally {
    await none.stop();
    await floor.stop();
  }
}

async function measureScaling(stack: Stack, { out }: Options): Promise<boolean> {
  const rows = await scaling(stack);
  const [one] = rows;
  const table = rows.map(({ workers, runsPerSecond, most }) => ({
    workers,
    'runs/s': Math.round(runsPerSecond),
    'times one worker': Number((runsPerSecond / (one?.runsPerSecond ?? NaN)).toFixed(2)),
    'of what is possible': Number((runsPerSecond / most).toFixed(2)),
  }));
  console.table(table);
  await write(out, 'scaling.json', JSON.stringify(table, null, 2));
  return true;
}

async function measureWalk(stack: Stack, { out }: Options): Promise<boolean> {
  const walks = await walk(stack, INSPECTOR_PORTS);
  const count = (lists: readonly (readonly string[])[]): number => new Set(lists.flat()).size;
  const rows = walks.map(({ process, files, functions }) => ({
    process,
    files: files.length,
    functions: functions.length,
  }));
  const both = {
    process: 'both',
    files: count(walks.map(({ files }) => files)),
    functions: count(walks.map(({ functions }) => functions)),
  };
  console.table([...rows, both]);
  await write(out, 'walk.json', JSON.stringify(walks, null, 2));
  return true;
}

async function measurePeers(stack: Stack, { repeat, out }: Options): Promise<boolean> {
  const rows = await peers(stack, repeat, (line) => console.log(`  ${line}`));
  const table = rows.map(({ perSecond, p50, p99, ...row }) => ({
    ...row,
    'requests/s': Math.round(perSecond),
    'p50 ms': Number(p50.toFixed(1)),
    'p99 ms': Number(p99.toFixed(1)),
  }));
  console.table(table);
  await write(out, 'peers.json', JSON.stringify(table, null, 2));
  return true;
}

async function reportWaking(stack: Stack, { out }: Options): Promise<boolean> {
  const table = (await measureWaking(stack)).map(({ what, p50, p99 }) => ({
    what,
    'p50 ms': Number(p50.toFixed(1)),
    'p99 ms': Number(p99.toFixed(1)),
  }));
  console.table(table);
  await write(out, 'waking.json', JSON.stringify(table, null, 2));
  return true;
}

async function measureOverload(stack: Stack, { out }: Options): Promise<boolean> {
  const samples = await overload(stack);
  console.table(samples.filter((_, second) => second % 15 === 0));
  await write(out, 'overload.json', JSON.stringify(samples));
  return true;
}

async function measureFleet(stack: Stack, { out }: Options): Promise<boolean> {
  const rows = await fleet(stack);
  const table = rows.map(({ workers, figures }) => ({
    workers,
    ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toPrecision(3))])),
  }));
  console.table(table);
  await write(out, 'fleet.json', JSON.stringify(table, null, 2));
  return true;
}

async function measureFleetUpkeep(stack: Stack, { out }: Options): Promise<boolean> {
  const rows = await fleetUpkeep(stack);
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const table = rows.map(({ redis, postgres, commands, ...row }) => ({
    ...row,
    'Redis, of a core': percent(redis),
    'PostgreSQL, of a core': percent(postgres),
    'Redis, commands/s': [...commands].map(([name, perSecond]) => `${name} ${Math.round(perSecond)}`).join(', '),
  }));
  for (const row of table) console.log(row);
  await write(out, 'fleet-upkeep.json', JSON.stringify(table, null, 2));
  return true;
}

async function measureBacklog(stack: Stack, { out }: Options): Promise<boolean> {
  const rows = await backlog(stack);
  const table = rows.map(({ work, runs, perSecond }) => ({ work, runs, 'runs/s': Math.round(perSecond) }));
  console.table(table);
  await write(out, 'backlog.json', JSON.stringify(table, null, 2));
  return true;
}

async function measureBatch(stack: Stack, { repeat, out }: Options): Promise<boolean> {
  const rows = await batch(stack, repeat);
  const table = rows.map((row) => ({ ...row, seconds: Number(row.seconds.toFixed(2)) }));
  console.table(table);
  await write(out, 'batch.json', JSON.stringify(table, null, 2));
  return true;
}

async function measureBulkActions(stack: Stack, { out }: Options): Promise<boolean> {
  console.log('Stopping, rerunning and deleting 100,000 runs each ...');
  const rows = await bulkActions(stack);
  const table = rows.map(({ action, requestSeconds, perSecond, seconds, apiRssBefore, apiRssPeak, workerRssPeak }) => ({
    action,
    'request s': Number(requestSeconds.toFixed(2)),
    'runs/s': Math.round(perSecond),
    's in all': Number(seconds.toFixed(1)),
    'API RSS before MB': apiRssBefore,
    'API RSS peak MB': apiRssPeak,
    'worker RSS peak MB': workerRssPeak,
  }));
  console.table(table);
  await write(out, 'bulk-actions.json', JSON.stringify(table, null, 2));
  return true;
}

async function measureSoak(stack: Stack, { minutes, perSecond, out }: Options): Promise<boolean> {
  console.log(`Starting ${perSecond} runs a second for ${minutes} minutes ...`);
  const { samples, accepted, succeeded, acceptP99Ms } = await soak(stack, { minutes, perSecond });
  console.table({ soak: { accepted, succeeded, 'accept p99 ms': acceptP99Ms } });
  // Five samples over the time, each the most of its part, because the backlog goes up and down.
  const part = Math.ceil(samples.length / 5);
  const backlogs = [0, 1, 2, 3, 4].map((n) =>
    Math.max(...samples.slice(n * part, (n + 1) * part).map(({ searchBacklog }) => searchBacklog)),
  );
  console.log(`Runs not indexed for search yet, at most in each fifth of the time: ${backlogs.join(', ')}`);
  await write(out, 'soak.json', JSON.stringify(samples));
  await write(out, 'soak.svg', plotSoak(samples));
  return true;
}

/** Writes a file into the folder that results go to, if there is one. */
async function write(folder: string | undefined, name: string, text: string): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), text);
}

const BAR = 24;

function showProgress(done: number, all: number, what: string): void {
  const filled = Math.round((done / all) * BAR);
  const line = `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${done}/${all} ${what}`;
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`);
  else console.log(line);
}

async function measureConsole(stack: Stack, { repeat, oldRuns }: Options): Promise<boolean> {
  console.table(await consolePages(stack, { repeat, runs: oldRuns }));
  return true;
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

async function measureNodes(stack: Stack, { only, repeat }: Options): Promise<boolean> {
  console.log('Running long chains and loops ...');
  const results = await nodes(stack, repeat, only);
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

async function measureEvents(stack: Stack, { repeat, out }: Options): Promise<boolean> {
  const rounds = await events(stack, repeat);
  const table = rounds.map(({ label, figures }) => ({
    label,
    ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value)])),
  }));
  console.table(table);
  await write(out, 'events.json', JSON.stringify(table, null, 2));
  return true;
}

async function measureIncomingEvents(stack: Stack, { out, repeat }: Options): Promise<boolean> {
  const rows = await incomingEvents(stack, repeat);
  const table = rows.map(({ label, acceptedSeconds, doneSeconds, eventsPerSecond }) => ({
    label,
    'accepted after s': Number(acceptedSeconds.toFixed(2)),
    'done after s': Number(doneSeconds.toFixed(2)),
    'events/s': Math.round(eventsPerSecond),
  }));
  console.table(table);
  await write(out, 'incoming-events.json', JSON.stringify(table, null, 2));
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
