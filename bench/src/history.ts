import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, Prisma } from '@deckhand/db';
import { generateRuns, indexAll } from './generate-runs.js';
import { createOwners } from './lists.js';
import type { Stack } from './stack.js';
import { accept } from './suite/accept.js';
import { endToEnd } from './suite/end-to-end.js';
import { latency } from './suite/latency.js';
import { send } from './suite/load.js';
import { type Row, runSuite } from './suite/run-suite.js';
import type { Bench } from './suite/scenario.js';
import { webhookOnCompletion } from './suite/webhook.js';
import { quantile, timeEach } from './suite/times.js';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from './workflows.js';

/** Old runs are spread over so many days, in partitions of a week. */
const DAYS = 84;
const PARTITION_DAYS = 7;
/** Runs by which the bytes of a run are measured. */
const SAMPLE_RUNS = 1_000_000;
/** Days after which runs are deleted in the end: a quarter of them has expired. */
const RETENTION_DAYS = 63;
/** The load beside which they are deleted. */
const LOAD = { perSecond: 500, seconds: 30, connections: 20 };
const REQUESTS_PER_QUERY = 40;
const POLL_MS = 50;

/** What lists are asked for. */
const QUERIES = {
  newest: '',
  oldest: '&sortOrder=asc',
  'status stopped (1 %)': '&status=stopped',
  'search: 1 in 64': '&search=ada%20lovelace',
  'search: nothing': '&search=zircon%20quartz',
} as const;

/** What was measured with one number of old runs. */
export interface HistoryStep {
  readonly runs: number;
  readonly rows: readonly Row[];
  /** Lists of 100 runs, in ms. */
  readonly lists: readonly { readonly query: string; readonly p50: number; readonly p99: number }[];
}

/** How expired runs were deleted. */
export interface RetentionResult {
  readonly runs: number;
  readonly partitions: number;
  /** From the setting until the last partition was dropped. */
  readonly seconds: number;
  /** p99 of accepting at the load, in ms, before and meanwhile. */
  readonly p99Before: number;
  readonly p99Meanwhile: number;
}

/** The result of all of it. */
export interface HistoryResult {
  readonly bytesPerRun: number;
  readonly steps: readonly HistoryStep[];
  readonly retention: RetentionResult;
}

/**
 * Measures everyday work and lists among no old runs and among many, and the deletion of a quarter of these beside a
 * load.
 * @param options.runs how many old runs; fewer if they would take more than half of the free disk.
 */
export async function history(
  bench: Bench,
  options: { readonly runs: number; readonly repeat: number; readonly onProgress: (what: string) => void },
): Promise<HistoryResult> {
  const { stack } = bench;
  const { onProgress } = options;
  await spreadPartitions(stack.db);
  const { owner, other } = await createOwners(stack);
  let written = 0;
  async function growTo(runs: number): Promise<void> {
    const count = runs - written;
    if (count <= 0) return;
    onProgress(`writing ${count} old runs`);
    await generateRuns(stack.db, [owner, other], { count, spacingSeconds: (DAYS * 86_400) / count }, () => undefined);
    onProgress('making them searchable');
    await indexAll(stack.db);
    written = runs;
  }
  const steps: HistoryStep[] = [await measure(bench, options, 0)];
  const before = await sizeOf(stack.db);
  await growTo(Math.min(options.runs, SAMPLE_RUNS));
  const bytesPerRun = ((await sizeOf(stack.db)) - before) / written;
  const { bavail, bsize } = await statfs(tmpdir());
  await growTo(Math.min(options.runs, Math.floor((bavail * bsize) / 2 / bytesPerRun)));
  steps.push(await measure(bench, options, written));
  onProgress('deleting a quarter of them');
  return { bytesPerRun, steps, retention: await measureRetention(stack) };
}

/** Replaces the partitions of an empty database by those that an instance has after `DAYS`. */
async function spreadPartitions(db: Database): Promise<void> {
  await db.$executeRaw`
    DO $$
    DECLARE p record;
    BEGIN
      FOR p IN SELECT * FROM run_partitions LOOP
        EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p.table_name, p.partition_name);
        IF p.suffix <> 'p0' THEN EXECUTE format('DROP TABLE %I', p.partition_name); END IF;
      END LOOP;
      FOR p IN SELECT * FROM partitioned_run_tables() LOOP
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', p.name, p.name || '_p0',
          first_id_of(date_trunc('day', now()) - interval '84 days'));
      END LOOP;
    END $$`;
  await db.$queryRaw`SELECT create_run_partitions(now() + interval '8 days', ${PARTITION_DAYS}::int * interval '1 day')`;
}

async function sizeOf(db: Database): Promise<number> {
  const [row] = await db.$queryRaw<{ bytes: number }[]>(Prisma.sql`
    SELECT sum(pg_total_relation_size(partition_name::regclass))::float8 AS bytes FROM run_partitions`);
  return row?.bytes ?? 0;
}

async function measure(
  bench: Bench,
  { repeat, onProgress }: { readonly repeat: number; readonly onProgress: (what: string) => void },
  runs: number,
): Promise<HistoryStep> {
  const scenarios = [accept, endToEnd, latency, webhookOnCompletion(20, 10)];
  const { rows } = await runSuite(bench, scenarios, repeat, (done, all, what) => {
    onProgress(`${done}/${all} ${what}, ${runs} old runs`);
  });
  const lists = [];
  for (const [query, params] of Object.entries(QUERIES)) {
    const url = `${bench.stack.url}/api/executions?limit=100&workspaceId=${bench.stack.workspaceId}${params}`;
    const times = await timeEach(REQUESTS_PER_QUERY, async () => {
      const response = await fetch(url, { headers: { 'x-api-key': bench.stack.apiKey } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    });
    lists.push({ query, p50: quantile(times, 0.5), p99: quantile(times, 0.99) });
  }
  return { runs, rows, lists };
}

async function measureRetention(stack: Stack): Promise<RetentionResult> {
  const workflowId = await saveWorkflow(stack, 'beside retention', FOUR_NODES);
  const load = () =>
    send({
      url: `${stack.url}/api/workflows/${workflowId}/execute`,
      method: 'POST',
      headers: { 'x-api-key': stack.apiKey },
      body: FOUR_NODES_BODY,
      connections: LOAD.connections,
      amount: LOAD.perSecond * LOAD.seconds,
      perSecond: LOAD.perSecond,
      status: 202,
    });
  const { p99: p99Before } = await load();
  const expired = await stack.db.$queryRaw<{ suffix: string; runs: number }[]>`
    SELECT p.suffix, c.reltuples::float8 AS runs FROM run_partitions p JOIN pg_class c ON c.relname = p.partition_name
    WHERE p.table_name = 'executions' AND p.upper_id <= first_id_of(now() - ${RETENTION_DAYS}::int * interval '1 day')`;
  const startedAt = performance.now();
  const loaded = load();
  await stack.db.setting.upsert({
    where: { name: 'runRetentionDays' },
    create: { name: 'runRetentionDays', value: RETENTION_DAYS },
    update: { value: RETENTION_DAYS },
  });
  for (;;) {
    const left = await stack.db.$queryRaw<unknown[]>(Prisma.sql`
      SELECT FROM pg_class WHERE relname = ANY (${expired.map(({ suffix }) => `executions_${suffix}`)}::text[])`);
    if (left.length === 0) break;
    await sleep(POLL_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const { p99: p99Meanwhile } = await loaded;
  return {
    runs: expired.reduce((sum, { runs }) => sum + Math.max(runs, 0), 0),
    partitions: expired.length,
    seconds,
    p99Before,
    p99Meanwhile,
  };
}
