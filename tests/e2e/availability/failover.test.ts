import { createDatabase, type Database, probeWrites } from '@deckhand/db';
import { ensurePatroni, type PatroniPrograms } from '@deckhand/local';
import { afterEach, expect, it } from '@jest/globals';
import {
  createWorkflow,
  describeUnless,
  type LoadReport,
  quantile,
  type Receiver,
  spawnApp,
  startInstance,
  startLoad,
  startPatroniCluster,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';
import { startSentinelGroup } from '../../harness/redis-groups.ts';

const RUNS_PER_SECOND = Number(process.env.FAILOVER_RUNS_PER_SECOND ?? 300);
/** One run in so many calls another service. */
const CALL_EVERY = 10;
/** Number of runs that are acknowledged before a failure, and after it. */
const RUNS_BEFORE = 3 * RUNS_PER_SECOND;
const RUNS_AFTER = 3 * RUNS_PER_SECOND;

/** The cluster's lease is so short that it needs both cores, so the test runs alone. */
const IS_ALONE = process.env.FAILOVER_TEST === 'true';

async function findPrograms(): Promise<PatroniPrograms> {
  const found = await ensurePatroni();
  if ('missing' in found) throw new Error(found.missing);
  return found;
}

afterEach(stopAll);

/** What a failure did to the runs that were started before, during and after it. */
interface Outcome extends LoadReport {
  /** Acknowledged runs that no longer exist. */
  readonly lost: readonly string[];
  /** For each of them, how long before the failure it was accepted, in ms; negative if it was accepted after it. */
  readonly lostForMs: readonly number[];
  /** Inputs that started more than one run, and effects under more than one key. */
  readonly doubled: readonly string[];
  /** Runs that did not end, and those that ended with another status than `success`. */
  readonly hanging: readonly string[];
  readonly wrong: readonly string[];
  /** From the failure until a write to PostgreSQL succeeded. */
  readonly databaseBackMs: number;
  /** From the end of the load until all runs had ended. */
  readonly settledMs: number;
}

describeUnless(IS_ALONE ? undefined : 'it runs alone: npm run bench -- --scenario availability')(
  'a failover under load',
  () => {
    it.each([
      { replication: 'synchronous', isSynchronous: true },
      { replication: 'asynchronous', isSynchronous: false },
    ])(
      'with $replication replication: every run that exists ends once, and acknowledged ones exist if it is synchronous',
      async ({ replication, isSynchronous }) => {
        const cluster = await startPatroniCluster(await findPrograms(), { isSynchronous });
        const sentinels = await startSentinelGroup();
        const { measure } = await startService(cluster.url, sentinels.url);
        const name = `PostgreSQL ${cluster.version}, ${replication}`;

        const killed = await cluster.primary();
        check(`${name}, primary killed`, await measure(() => killed.kill()), isSynchronous);
        expect((await cluster.primary()).name).not.toBe(killed.name);
        await killed.start();
        await cluster.untilWhole();

        // It wakes up under load and believes to be the primary: nothing may be acknowledged that is written there.
        const frozen = await cluster.primary();
        const outcome = await measure(
          () => frozen.freeze(),
          () => frozen.thaw(),
        );
        check(`${name}, primary frozen`, outcome, isSynchronous);
        expect((await cluster.primary()).name).not.toBe(frozen.name);
        if (!isSynchronous) return;

        const masterPort = await sentinels.masterPort();
        const master = sentinels.members.find(({ port }) => port === masterPort)!;
        check('master of Redis killed', await measure(() => master.process.kill()), true);
        expect(await sentinels.masterPort()).not.toBe(masterPort);
      },
      300_000,
    );
  },
);

function check(name: string, outcome: Outcome, keepsAll: boolean): void {
  const { acknowledged, lost, lostForMs, doubled, hanging, wrong, statuses, latencies, longestGapMs } = outcome;
  const window = lost.length === 0 ? '' : ` (accepted up to ${Math.max(...lostForMs)} ms before)`;
  process.stdout.write(
    `${name}: ${acknowledged.length} runs acknowledged, lost ${lost.length}${window}, doubled ${doubled.length}, ` +
      `hanging ${hanging.length}, wrong ${wrong.length}; none acknowledged for ${Math.round(longestGapMs)} ms ` +
      `(PostgreSQL writable after ${Math.round(outcome.databaseBackMs)} ms), all ended ` +
      `${Math.round(outcome.settledMs)} ms after the load; slowest response ${Math.round(quantile(latencies, 1))} ms; ` +
      `responses ${JSON.stringify(statuses)}\n`,
  );
  expect({ doubled, hanging, wrong }).toEqual({ doubled: [], hanging: [], wrong: [] });
  expect(outcome.unanswered).toEqual([]);
  if (keepsAll) expect(lost).toEqual([]);
  // What was accepted by the new primary, or by an old one that woke up, is never lost.
  expect(lostForMs.filter((ms) => ms < 0)).toEqual([]);
}

/** One run in `CALL_EVERY` calls the receiver, under the number of its request. */
function definition({ url }: Receiver) {
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'calls', type: 'if', parameters: { condition: `{{ $trigger.n % ${CALL_EVERY} === 0 }}` } },
      {
        id: 'call',
        type: 'http',
        parameters: { method: 'POST', url: `${url}/{{ $trigger.n }}` },
        retry: { maxAttempts: 5, delayMs: 100 },
      },
      { id: 'pure', type: 'set', parameters: { fields: { n: '{{ $trigger.n }}' } } },
    ],
    edges: [
      { source: 'start', target: 'calls' },
      { source: 'calls', sourceHandle: 'true', target: 'call' },
      { source: 'calls', sourceHandle: 'false', target: 'pure' },
    ],
  };
}

/** Starts the API and two workers. */
async function startService(databaseUrl: string, redisUrl: string) {
  const db = createDatabase({ url: databaseUrl, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  // Signs up and saves the workflow; the load goes to the processes.
  const instance = await startInstance({ databaseUrl, db, redis: await startTestRedis() });
  const receiver = await startReceiver();
  const workflowId = await createWorkflow(instance, definition(receiver));
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
  const [api] = await Promise.all([spawnApp('api', env), spawnApp('worker', env), spawnApp('worker', env)]);
  let sent = 0;

  /** Fails something under load, and returns what became of the runs. @param repair called while the load continues. */
  async function measure(fail: () => Promise<unknown>, repair?: () => Promise<unknown>): Promise<Outcome> {
    const from = sent;
    const load = startLoad({
      urls: [api.url],
      path: `/api/workflows/${workflowId}/execute`,
      key: instance.key,
      perSecond: RUNS_PER_SECOND,
      body: (n) => {
        sent = Math.max(sent, from + n + 1);
        return { input: { n: from + n } };
      },
    });
    const acknowledge = async (more: number) => {
      const runs = load.acknowledged.length + more;
      await until(() => load.acknowledged.length >= runs, `${runs} runs acknowledged`);
    };
    await acknowledge(RUNS_BEFORE);
    await fail();
    const failedAt = Date.now();
    await until(() => probeWrites(databaseUrl).then(() => true), 'a PostgreSQL that takes writes');
    const databaseBackMs = Date.now() - failedAt;
    await acknowledge(RUNS_AFTER);
    if (repair) {
      await repair();
      await acknowledge(RUNS_AFTER);
    }
    const report = await load.stop();
    const stoppedAt = performance.now();
    const hanging = await untilAllEnd(db, workflowId);
    const settledMs = performance.now() - stoppedAt;
    const compared = await compare(db, workflowId, from, report, receiver);
    const lostForMs = compared.lost.map((id) => failedAt - acceptedAt(id));
    return { ...report, ...compared, lostForMs, hanging, settledMs, databaseBackMs };
  }
  return { measure };
}

/** Reads the time from the id of a run, in ms since the epoch. */
function acceptedAt(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

/** Waits until all runs have ended. @returns the ids of those that do not end. */
async function untilAllEnd(db: Database, workflowId: string): Promise<string[]> {
  const unfinished = () => db.execution.findMany({ where: { workflowId, finishedAt: null }, select: { id: true } });
  await until(async () => (await unfinished()).length === 0, 'the end of all runs').catch(() => undefined);
  return (await unfinished()).map(({ id }) => id);
}

/** Compares the runs of the requests from number `from` on with the responses, and with the calls of the receiver. */
async function compare(
  db: Database,
  workflowId: string,
  from: number,
  { acknowledged, refused }: LoadReport,
  { calls }: Receiver,
): Promise<Pick<Outcome, 'lost' | 'doubled' | 'wrong'>> {
  const rows = await db.$queryRaw<{ id: string; n: number; status: string }[]>`
    SELECT id, n, status FROM (
      SELECT id, (trigger_data::json->>'n')::int AS n, status::text FROM executions WHERE workflow_id = ${workflowId}::uuid
    ) runs WHERE n >= ${from}`;
  const runs = new Map(rows.map(({ id, ...run }) => [id, run]));
  const isRefused = new Set(refused);
  const keysOf = new Map<string, Set<string>>();
  for (const { path, idempotencyKey } of calls) {
    // Runs that are lost with the old primary may have called.
    if (!runs.has(idempotencyKey.slice(0, idempotencyKey.indexOf(':')))) continue;
    keysOf.set(path, (keysOf.get(path) ?? new Set()).add(idempotencyKey));
  }
  const inputs = new Set<number>();
  const doubled = [...keysOf].filter(([, keys]) => keys.size > 1).map(([path]) => path);
  const wrong: string[] = [];
  for (const [id, { n, status }] of runs) {
    if (inputs.has(n)) doubled.push(id);
    inputs.add(n);
    const hasItsEffect = n % CALL_EVERY !== 0 || keysOf.has(`/${n}`);
    if (isRefused.has(id) ? status !== 'failed' : status !== 'success' || !hasItsEffect) wrong.push(`${id} ${status}`);
  }
  return { lost: acknowledged.filter((id) => !runs.has(id)), doubled, wrong };
}
