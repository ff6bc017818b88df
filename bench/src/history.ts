import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createDatabase,
  type Database,
  findUnindexedRuns,
  indexExecutions,
  Prisma,
  withoutSessionLimits,
} from '@deckhand/db';
import type { Floor } from './floor/start.ts';
import { createFilledPartition, makeSearchable } from './generate-runs.ts';
import { createOwners } from './lists.ts';
import { post, type Stack } from './stack.ts';
import { accept } from './suite/accept.ts';
import { endToEnd } from './suite/end-to-end.ts';
import { latency } from './suite/latency.ts';
import { send } from './suite/load.ts';
import type { Figures, Scenario } from './suite/scenario.ts';
import { median, quantile, timeEach } from './suite/times.ts';
import { webhookOnCompletion } from './suite/webhook.ts';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from './workflows.ts';

/** Old runs are in so many partitions of a week each, the last of which ended yesterday. */
const PARTITIONS = 12;
const PARTITION_DAYS = 7;
const DAY_MS = 86_400_000;
/** Runs of the first partition, by which the bytes of a run are measured. */
const SAMPLE_RUNS = 1_000_000;
/** Partitions that are filled at the same time. */
const WRITERS = 2;
/** Days after which runs are deleted in the end: the oldest quarter of them has expired. */
const RETENTION_DAYS = 63;
/** The load beside which they are deleted. */
const LOAD = { perSecond: 500, seconds: 30, connections: 20 };
const REQUESTS_PER_QUERY = 40;
const RESUMED_RUNS = 40;
const POLL_MS = 50;

/** What lists are asked for. */
const QUERIES = {
  newest: '',
  oldest: '&sortOrder=asc',
  'status stopped (1 %)': '&status=stopped',
  'search: 1 in 64': '&search=ada%20lovelace',
  'search: nothing': '&search=zircon%20quartz',
} as const;

/** A run that waits for an approval, so that it is resumed. */
const APPROVAL = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'ask', type: 'approval', parameters: { message: 'Continue?' } },
    { id: 'end', type: 'set', parameters: { fields: { done: true } } },
  ],
  edges: [
    { source: 'start', target: 'ask' },
    { source: 'ask', sourceHandle: 'approved', target: 'end' },
  ],
};

/** A metric beside no old runs and beside many, a value for each round. */
export interface HistoryRow {
  readonly what: string;
  readonly none: readonly number[];
  readonly many: readonly number[];
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
  readonly runs: number;
  readonly bytesPerRun: number;
  /** How many runs were written per second, indexes included. */
  readonly runsPerSecond: number;
  readonly rows: readonly HistoryRow[];
  readonly retention: RetentionResult;
}

/** An instance that is filled with old runs, and an empty one. */
export interface HistoryStacks {
  readonly many: Stack;
  readonly none: Stack;
  readonly floor: Floor;
}

/**
 * Measures everyday work and lists, alternately without and with many old runs, and the deletion of a quarter of these
 * beside a load.
 * @param options.runs how many old runs; fewer if they would take more than half of the free disk.
 */
export async function history(
  { many, none, floor }: HistoryStacks,
  options: { readonly runs: number; readonly repeat: number; readonly onProgress: (what: string) => void },
): Promise<HistoryResult> {
  const { onProgress } = options;
  const startedAt = performance.now();
  const filled = await fill(many, options.runs, onProgress);
  const seconds = (performance.now() - startedAt) / 1_000;
  onProgress(`${filled.runs} old runs of ${Math.round(filled.bytesPerRun)} bytes each after ${Math.round(seconds)} s`);
  await fill(none, 0, () => undefined);
  const rows: HistoryRow[] = [];
  for (const scenario of [accept, endToEnd, latency, webhookOnCompletion(20, 10), resume, listsAndSearches]) {
    const [ofNone, ofMany] = [
      await scenario.prepare({ stack: none, floor }),
      await scenario.prepare({ stack: many, floor }),
    ];
    const rounds: { none: Figures; many: Figures }[] = [];
    for (let round = 0; round <= options.repeat; round += 1) {
      onProgress(`${scenario.name}, ${round === 0 ? 'warm-up' : `round ${round}`}`);
      await Promise.all([none, many].map(({ db }) => makeSearchable(db)));
      // The order alternates: a measurement is slower when PostgreSQL still writes the pages of the one before.
      const first = round % 2 === 0 ? await ofNone.ours() : undefined;
      const withMany = await ofMany.ours();
      rounds.push({ none: first ?? (await ofNone.ours()), many: withMany });
    }
    for (const metric of Object.keys(rounds[0]?.none ?? {})) {
      const valuesOf = (of: 'none' | 'many'): number[] => rounds.slice(1).map((round) => round[of][metric] ?? NaN);
      const row = { what: `${scenario.name}, ${metric}`, none: valuesOf('none'), many: valuesOf('many') };
      rows.push(row);
      onProgress(
        `${row.what}: ${median(row.none).toPrecision(3)} without, ${median(row.many).toPrecision(3)} with them`,
      );
    }
  }
  onProgress('deleting the oldest quarter');
  return { ...filled, runsPerSecond: filled.runs / seconds, rows, retention: await measureRetention(many) };
}

/**
 * Creates the partitions of an instance of some age. The first one is filled to measure the size of a run, then the
 * others, as far as half of the free disk suffices.
 */
async function fill(
  stack: Stack,
  wanted: number,
  onProgress: (what: string) => void,
): Promise<{ runs: number; bytesPerRun: number }> {
  const { owner, other } = await createOwners(stack);
  const owners = [owner, other];
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const beginOf = (index: number): Date => new Date(today - (PARTITIONS - index) * PARTITION_DAYS * DAY_MS);
  await removePartitions(stack.db, beginOf(0));
  // First that of the present: the worker would create one that reaches from the last one into the present.
  await createFilledPartition(stack.db, owners, { from: beginOf(PARTITIONS), to: beginOf(PARTITIONS + 1), runs: 0 });
  const create = async (db: Database, index: number, runs: number): Promise<void> => {
    onProgress(`writing partition ${index + 1} of ${PARTITIONS}, ${runs} runs`);
    await createFilledPartition(db, owners, { from: beginOf(index), to: beginOf(index + 1), runs });
  };
  const { bavail, bsize } = await statfs(tmpdir());
  const sample = Math.min(SAMPLE_RUNS, Math.ceil(wanted / PARTITIONS));
  await create(stack.db, 0, sample);
  const bytesPerRun = sample === 0 ? NaN : (await sizeOf(stack.db)) / sample;
  const most = sample === 0 ? 0 : Math.floor((bavail * bsize) / 2 / bytesPerRun);
  const each = Math.floor((Math.min(wanted, most) - sample) / (PARTITIONS - 1));
  const left = Array.from({ length: PARTITIONS - 1 }, (_, index) => index + 1);
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      const db = createDatabase({ url: withoutSessionLimits(stack.postgres.url), poolSize: 1 });
      for (let index = left.shift(); index !== undefined; index = left.shift()) await create(db, index, each);
      await db.$disconnect();
    }),
  );
  await stack.db
    .$queryRaw`SELECT create_run_partitions(now() + interval '8 days', ${PARTITION_DAYS}::int * interval '1 day')`;
  if (each > 0) await checkTexts(stack.db);
  // Otherwise the first scenario would compete with what PostgreSQL does later with the rows.
  await stack.db.$executeRaw`VACUUM (ANALYZE)`;
  await stack.db.$executeRaw`CHECKPOINT`;
  return { runs: sample + each * (PARTITIONS - 1), bytesPerRun };
}

/** Replaces the partitions of an empty database by one that ends at a time. */
async function removePartitions(db: Database, before: Date): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    DO $$
    DECLARE p record;
    BEGIN
      FOR p IN SELECT * FROM run_partitions LOOP
        EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p.table_name, p.partition_name);
        IF p.suffix <> 'p0' THEN EXECUTE format('DROP TABLE %I', p.partition_name); END IF;
      END LOOP;
      FOR p IN SELECT * FROM partitioned_run_tables() LOOP
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', p.name, p.name || '_p0',
          first_id_of(${Prisma.raw(`'${before.toISOString()}'`)}));
      END LOOP;
    END $$`);
}

/** Checks that generated search texts are those that workers write. */
async function checkTexts(db: Database): Promise<void> {
  const texts = () => db.$queryRaw<{ text: string; error: string | null }[]>`
    SELECT text, error FROM execution_texts WHERE execution_id IN (
      SELECT execution_id FROM execution_texts ORDER BY execution_id LIMIT 100) ORDER BY execution_id`;
  const generated = JSON.stringify(await texts());
  await db.$executeRaw`
    INSERT INTO unindexed_executions SELECT execution_id FROM execution_texts ORDER BY execution_id LIMIT 100`;
  await indexExecutions(
    db,
    (await findUnindexedRuns(db, { limit: 100, except: [] })).map(({ id }) => id),
  );
  if (JSON.stringify(await texts()) !== generated)
    throw new Error('generated search texts differ from those of workers');
}

async function sizeOf(db: Database): Promise<number> {
  const [row] = await db.$queryRaw<{ bytes: number }[]>(Prisma.sql`
    SELECT sum(pg_total_relation_size(partition_name::regclass))::float8 AS bytes FROM run_partitions`);
  return row?.bytes ?? 0;
}

/** From the answer to an approval until the end of the run. */
const resume: Scenario = {
  name: 'resume, answer to finished',
  async prepare({ stack }) {
    const workflowId = await saveWorkflow(stack, 'approval', APPROVAL);
    const headers = { 'x-api-key': stack.apiKey };
    return {
      ours: async () => {
        const times: number[] = [];
        for (let i = 0; i < RESUMED_RUNS; i += 1) {
          const path = `/api/workflows/${workflowId}/execute`;
          const { executionId } = await post<{ executionId: string }>(stack.url, path, {}, headers);
          await waitForStatus(stack, executionId, 'waiting_for_input');
          const answer = { executionId, nodeId: 'ask', approved: true };
          const [ms] = await timeEach(1, async () => {
            await post(stack.url, '/api/approvals/submit', answer, headers);
            await waitForStatus(stack, executionId, 'success');
          });
          times.push(ms ?? NaN);
        }
        return { 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) };
      },
    };
  },
};

/** Follows a run until it has a status. */
async function waitForStatus(stack: Stack, executionId: string, status: string): Promise<void> {
  const response = await fetch(`${stack.url}/api/executions/${executionId}?slim=true&wait=30`, {
    headers: { 'x-api-key': stack.apiKey },
  });
  const text = await response.text();
  if (!text.includes(`"status":"${status}"`)) throw new Error(`${executionId} is not ${status}: ${text}`);
}

/** Pages of 100 runs. */
const listsAndSearches: Scenario = {
  name: 'list',
  prepare({ stack }) {
    return Promise.resolve({
      ours: async () => {
        const figures: Record<string, number> = {};
        for (const [query, params] of Object.entries(QUERIES)) {
          const url = `${stack.url}/api/executions?limit=100&workspaceId=${stack.workspaceId}${params}`;
          const times = await timeEach(REQUESTS_PER_QUERY, async () => {
            const response = await fetch(url, { headers: { 'x-api-key': stack.apiKey } });
            await response.arrayBuffer();
            if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
          });
          figures[`${query}, p50 ms`] = quantile(times, 0.5);
          figures[`${query}, p99 ms`] = quantile(times, 0.99);
        }
        return figures;
      },
    });
  },
};

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
    WHERE p.table_name = 'executions' AND p.lower_id IS NOT NULL AND p.upper_id <= first_id_of(now() - ${RETENTION_DAYS}::int * interval '1 day')`;
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
