import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createRandom,
  createWorkflow,
  type PostgresProxy,
  randomSeed,
  spawnApp,
  startInstance,
  startPostgresProxy,
  startReceiver,
  stopAll,
  type TestApp,
} from '../../harness/index.ts';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordHistory } from '../walk/history.ts';
import { createFaultMatrix, faultName, type FaultMatrix, SQLSTATES } from './fault-cells.ts';
import {
  areEnded,
  createDriver,
  type DrivenRun,
  judgeRound,
  type Responses,
  type RoundStage,
  type RoundVerdict,
  type RunPlot,
} from './fault-round.ts';
import { childDefinition, FLAKY, parentDefinition } from './fault-workflows.ts';

/**
 * Repeat a selection with `FC_SEED`, try cells one by one with `FAULT_ONLY`, all of them with `FAULT_MATRIX=full`.
 */
const SEED = randomSeed();
const IS_FULL = process.env.FAULT_MATRIX === 'full';
const ONLY = process.env.FAULT_ONLY ?? '';
/** After this time, no new round starts, in s. */
const BUDGET_MS = Number(process.env.FAULT_SECONDS ?? (IS_FULL ? 1_800 : 150)) * 1_000;

/** How long statements fail in a round, in ms. */
const FAULTS_MS = 8_000;
/** How long the runs may take to end after the faults are over, in ms. */
const SETTLE_MS = 30_000;
/** Consecutive rounds without a new cell after which the rest counts as unreachable. */
const MAX_IDLE_ROUNDS = 4;

/** Actions on the runs of a round. */
const PLOTS: readonly RunPlot[] = [
  { kind: 'plain', decision: 'approved' },
  { kind: 'plain', decision: 'rejected' },
  { kind: 'plain', decision: 'approved' },
  { kind: 'paused', decision: 'approved', afterCalls: 1 },
  { kind: 'paused', decision: 'rejected', afterCalls: 3 },
  { kind: 'paused', decision: 'approved', afterCalls: 7 },
  { kind: 'pausedWhileWaiting', decision: 'approved' },
  { kind: 'stopped', decision: 'approved', afterCalls: 1 },
  { kind: 'stopped', decision: 'approved', afterCalls: 4 },
  { kind: 'stopped', decision: 'rejected', afterCalls: 7 },
];
/** In every third round a worker is killed, too. */
const KILLING_EVERY = 3;
/** Every third run is of a workflow with a limit of one concurrent run. */
const LIMITED_EVERY = 3;

afterAll(stopAll);

interface Stage extends RoundStage {
  readonly workflowId: string;
  /**
   * Saves the same workflow with a limit of one concurrent run, one per round: a slot that is never freed shows in that
   * round only.
   */
  createLimited(): Promise<string>;
  readonly proxies: readonly { readonly app: string; readonly proxy: PostgresProxy }[];
  readonly api: TestApp;
  readonly workers: TestApp[];
  startWorker(): Promise<TestApp>;
}

async function setStage(): Promise<Stage> {
  const instance = await startInstance();
  await recordHistory(instance.db);
  // The first attempt of some calls is refused.
  const receiver = await startReceiver(() => 0, {
    refuses: (path, earlier) => path.endsWith(`/${FLAKY}`) && earlier === 0,
  });
  const childId = await createWorkflow(instance, childDefinition(receiver.url));
  const workflowId = await createWorkflow(instance, parentDefinition(receiver.url, childId));
  const [ofApi, ofWorkers] = await Promise.all([
    startPostgresProxy(instance.databaseUrl),
    startPostgresProxy(instance.databaseUrl),
  ]);
  const env = { REDIS_URL: instance.redis.url, WORKER_CONCURRENCY: '50' };
  const startWorker = () => spawnApp('worker', { ...env, DATABASE_URL: ofWorkers.url });
  const [api, ...workers] = await Promise.all([
    spawnApp('api', { ...env, DATABASE_URL: ofApi.url }),
    startWorker(),
    startWorker(),
  ]);
  return {
    db: instance.db,
    calls: receiver.calls,
    apiUrl: api.url,
    key: instance.key,
    workflowId,
    createLimited: () =>
      createWorkflow(instance, parentDefinition(receiver.url, childId, { maxConcurrentExecutions: 1 })),
    proxies: [
      { app: 'api', proxy: ofApi },
      { app: 'worker', proxy: ofWorkers },
    ],
    api,
    workers,
    startWorker,
  };
}

/** Starts runs, makes statements fail while they run, and compares them with their expected results. */
async function playRound(
  stage: Stage,
  round: {
    firstN: number;
    random: () => number;
    matrix: FaultMatrix | undefined;
    responses: Responses;
    /** Kills a worker while statements fail. */
    isKilling: boolean;
  },
): Promise<RoundVerdict & { readonly driven: readonly DrivenRun[] }> {
  const { firstN, random, matrix, responses, isKilling } = round;
  const over = new AbortController();
  const driver = createDriver(stage, responses);
  const driven: DrivenRun[] = PLOTS.map((plot, index) => ({
    n: firstN + index,
    plot,
    executionId: '',
    violations: [],
  }));
  if (matrix) {
    for (const { app, proxy } of stage.proxies) proxy.inject((statement) => matrix.next(app, statement));
  }
  const limitedId = await stage.createLimited();
  const driving = Promise.all(
    driven.map(async (run, index) => {
      await sleep(random() * 500);
      await driver.drive(run, index % LIMITED_EVERY === 2 ? limitedId : stage.workflowId, over.signal);
    }),
  );
  const ended = async (): Promise<boolean> => {
    const ids = driven.map(({ executionId }) => executionId);
    return !ids.includes('') && areEnded(stage.db, ids);
  };
  const killed = isKilling ? killWorker(stage, random) : Promise.resolve();
  await untilTrue(ended, FAULTS_MS);
  for (const { proxy } of stage.proxies) proxy.inject(undefined);
  await killed;
  await untilTrue(ended, SETTLE_MS);
  over.abort();
  await driving;
  return { ...(await judgeRound(stage, driven)), driven };
}

/** Kills the older worker at some time while statements fail, and starts another. */
async function killWorker(stage: Stage, random: () => number): Promise<void> {
  await sleep((random() * FAULTS_MS) / 2);
  await stage.workers.shift()?.kill('SIGKILL');
  stage.workers.push(await stage.startWorker());
}

async function untilTrue(ask: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    if (await ask()) return true;
    await sleep(100);
  }
  return false;
}

/** The faults that a run met, in order. */
function faultsMet(matrix: FaultMatrix, since: number, executionId: string): string {
  const met = matrix.injections.slice(since).filter((injection) => injection.mentions(executionId));
  return met.map(({ statement, fault }) => `${statement}: ${faultName(fault)}`).join('; ') || 'none';
}

describe('statements that fail, are slow, or are cancelled', () => {
  it(
    'no run is lost, doubled or left hanging',
    async () => {
      say(`statement faults: FC_SEED=${SEED}${IS_FULL ? ' FAULT_MATRIX=full' : ''}`);
      const stage = await setStage();
      const random = createRandom(SEED);
      const responses: Responses = new Map();
      const matrix = createFaultMatrix({ seed: SEED, isFull: IS_FULL, only: ONLY });
      let firstN = 1;

      const reference = await playRound(stage, { firstN, random, matrix: undefined, responses, isKilling: false });
      expect(problemsOf(reference)).toEqual([]);

      const totals = { rounds: 0, kills: 0, runs: 0, lost: 0, doubled: 0, hanging: 0, repeated: 0 };
      const beganAt = Date.now();
      let idleRounds = 0;
      while (Date.now() - beganAt < BUDGET_MS && idleRounds < MAX_IDLE_ROUNDS) {
        firstN += PLOTS.length;
        const injected = matrix.injections.length;
        const isKilling = totals.rounds % KILLING_EVERY === KILLING_EVERY - 1;
        const verdict = await playRound(stage, { firstN, random, matrix, responses, isKilling });
        totals.rounds += 1;
        if (isKilling) totals.kills += 1;
        totals.runs += verdict.runs;
        totals.lost += verdict.lost.length;
        totals.doubled += verdict.doubled.length;
        totals.hanging += verdict.hanging.length;
        totals.repeated += verdict.repeated;
        idleRounds = matrix.injections.length === injected ? idleRounds + 1 : 0;
        const found = problemsOf(verdict);
        if (found.length > 0) {
          for (const problem of found) say(`round ${totals.rounds}: ${problem}`);
          for (const { n, executionId } of verdict.driven)
            if (executionId !== '' && found.some((problem) => problem.includes(executionId)))
              say(`  run ${n} met: ${faultsMet(matrix, injected, executionId)}`);
        }
        for (const process of [stage.api, ...stage.workers])
          if (!process.isRunning()) throw new Error(`${process.name} has ended:\n${process.output().slice(-4_000)}`);
      }
      report(matrix, totals, responses);
      for (const process of [stage.api, ...stage.workers])
        for (const [message, times] of loggedErrors(await readFile(process.logPath, 'utf8')))
          say(`  ${process.name} logged ${times} times: ${message}`);
      expect(matrix.injections.length).toBeGreaterThan(0);
      // Violations are printed above, with the faults that led to them.
      const { lost, doubled, hanging } = totals;
      expect({ lost, doubled, hanging }).toEqual({ lost: 0, doubled: 0, hanging: 0 });
    },
    BUDGET_MS + 300_000,
  );
});

function problemsOf({ lost, doubled, hanging }: RoundVerdict): string[] {
  return [
    ...lost.map((what) => `lost: ${what}`),
    ...doubled.map((what) => `doubled: ${what}`),
    ...hanging.map((what) => `hanging: ${what}`),
  ];
}

/** Error messages in a log, with their numbers. */
function loggedErrors(log: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of log.split('\n')) {
    if (!line.includes('"level":"error"')) continue;
    const { err, msg } = JSON.parse(line) as { err?: { message?: string }; msg?: string };
    const cause = (err?.message ?? '').replace(/^[\s\S]*invocation:/, '').replaceAll(/\s+/g, ' ');
    // The injected SQLSTATEs are in the table.
    const message = `${msg ?? ''} ${cause.replaceAll(new RegExp(SQLSTATES.join('|'), 'g'), '…').slice(0, 150)}`.trim();
    counts.set(message, (counts.get(message) ?? 0) + 1);
  }
  return counts;
}

function report(matrix: FaultMatrix, totals: Record<string, number>, responses: Responses): void {
  const tried = matrix.tried();
  const cells = [...tried.keys()].reduce((sum, statement) => sum + matrix.size(statement), 0);
  say(
    `  ${tried.size} statements, ${matrix.injections.length} faults injected, ${cells - matrix.left()} of ${cells} cells in ${totals.rounds} rounds, ${totals.kills} of them with a worker that is killed; ` +
      `${totals.runs} runs: lost ${totals.lost}, doubled ${totals.doubled}, hanging ${totals.hanging}; effects called again ${totals.repeated}`,
  );
  for (const [statement, count] of [...tried].sort(([a], [b]) => a.localeCompare(b)))
    say(`    ${statement.padEnd(60)} ${count} of ${matrix.size(statement)}`);
  const unusual = [...responses].filter(([name]) => / (0|5\d\d)/.test(name) && !name.includes(' 503'));
  if (unusual.length > 0) say(`  responses of the API that are neither a result nor a 503: ${JSON.stringify(unusual)}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
