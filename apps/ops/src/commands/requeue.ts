import {
  dispatchAgain,
  findHeldRuns,
  findHoldingWorkers,
  type OperatorFilter,
  readDatabaseTime,
  recordOperation,
  requeueHeldRuns,
} from '@deckhand/db';
import { confirm, ExitError, printMessage, printResult, showProgress } from '@deckhand/terminal';
import { Command } from 'commander';
import { hostname } from 'node:os';
import { type OpenStores, withStores } from '../open-stores.ts';
import { EXAMPLES, printExamples } from '../runs/examples.ts';
import { addFilterOptions, type FilterOptions, toFilter } from '../runs/filter-options.ts';
import { findLostRuns } from '../runs/find-lost-runs.ts';
import { createWorkerWatch, type WorkerWatch } from '../runs/worker-watch.ts';

/** Maximum number of runs that one statement takes from dead workers. */
const BATCH = 500;

interface RequeueOptions extends FilterOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** The stores, and a watch that recognizes dead workers. */
type Instance = OpenStores & { readonly watch: WorkerWatch };

/** Numbers of runs to requeue. */
interface Found {
  /** Pending runs whose job is gone. */
  readonly lost: number;
  /** Runs that dead workers hold. */
  readonly held: number;
  readonly deadWorkers: readonly string[];
  readonly examples: readonly string[];
}

/** Creates `requeue`, which dispatches the runs of dead workers and those whose jobs are lost. */
export function requeueCommand(): Command {
  const command = new Command('requeue')
    .summary('dispatch runs again whose job was lost or whose worker is dead')
    .description(
      'Finds runs that wait but have no job in Redis, and runs whose worker is dead, and dispatches them again. Finished nodes do not run ' +
        'again; nodes in progress do, with the same Idempotency-Key.\n\n' +
        'Live workers do the same within seconds. Use this command if no worker is live, or before you start some. It never changes ' +
        'a run that has a job or a live worker, and can be repeated.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  npm run ops -- requeue --all --dry-run\n' +
        '  npm run ops -- requeue --workspace 019… --yes',
    )
    .action(async ({ dryRun, yes, json, ...options }: RequeueOptions) => {
      const filterAt = toFilter(options);
      await withStores(async (opened) => {
        const stores = { ...opened, watch: createWorkerWatch(opened.redis) };
        const now = new Date(await readDatabaseTime(stores.db));
        const filter = filterAt(now);
        const found = await find(stores, filter, now);
        const total = found.lost + found.held;
        if (total > 0 && !json) await printExamples(stores.db, found.examples);
        if (dryRun || total === 0) {
          printResult(json, { ...found, requeued: 0, resting: 0 }, () => [
            total === 0 ? 'No matching run is lost.' : `${describe(found)}; none was requeued.`,
          ]);
          return;
        }
        printMessage(`${describe(found)}.`);
        await confirm(`Requeue ${total} runs?`, { yes });
        const { requeued, resting } = await requeue(stores, filter, now, found);
        printResult(json, { ...found, requeued, resting }, () => [
          resting === 0
            ? `Requeued ${requeued} runs.`
            : `Requeued ${requeued} runs; ${resting} more are paused, and rest until they are resumed.`,
        ]);
      });
    });
  return addFilterOptions(command);
}

async function find(stores: Instance, filter: OperatorFilter, now: Date): Promise<Found> {
  const holding = await findHoldingWorkers(stores.db);
  if (!(await stores.watch.decide(holding))) {
    throw new ExitError('Redis refuses writes (REDIS_URL), so it is not known which workers are dead.');
  }
  const deadWorkers = holding.filter((id) => stores.watch.isDead(id));
  const held = await findHeldRuns(stores.db, filter, { workerIds: deadWorkers, examples: EXAMPLES });
  const examples = [...held.examples];
  let lost = 0;
  for await (const page of findLostRuns(stores, filter, now)) {
    lost += page.length;
    examples.push(...page.slice(0, EXAMPLES).map(({ executionId }) => executionId));
  }
  return { lost, held: held.total, deadWorkers, examples: examples.slice(0, EXAMPLES) };
}

function describe({ lost, held, deadWorkers }: Found): string {
  return `${lost} runs have lost their job, ${held} are held by ${deadWorkers.length} dead workers`;
}

async function requeue(
  stores: Instance,
  filter: OperatorFilter,
  now: Date,
  found: Found,
): Promise<{ requeued: number; resting: number }> {
  const { db, queue, watch } = stores;
  // A frozen worker may have continued while the person was asked.
  await watch.read();
  const workerIds = found.deadWorkers.filter((id) => watch.isDead(id));
  const progress = showProgress('requeueing', found.lost + found.held);
  let requeued = 0;
  let resting = 0;
  const record = (executionIds: readonly string[]): Promise<void> =>
    recordOperation(db, { action: 'execution.requeueMany', details: {}, host: hostname() }, executionIds);

  for (;;) {
    const runs = await requeueHeldRuns(db, filter, { workerIds, limit: BATCH });
    if (runs.length === 0) break;
    const jobs = runs.flatMap(({ dispatch, ...run }) => (dispatch === null ? [] : [{ ...run, dispatch }]));
    await queue.add(jobs);
    await record(runs.map(({ executionId }) => executionId));
    requeued += jobs.length;
    resting += runs.length - jobs.length;
    progress.advance(runs.length);
  }
  for await (const lost of findLostRuns(stores, filter, now)) {
    const runs = await dispatchAgain(db, lost);
    await queue.add(runs);
    await record(runs.map(({ executionId }) => executionId));
    requeued += runs.length;
    progress.advance(runs.length);
  }
  progress.stop('');
  return { requeued, resting };
}
