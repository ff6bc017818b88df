import { Queue } from 'bullmq';
import type { Redis } from '../connect.ts';
import { createFairOrder } from '../fair-order.ts';
import { type JobData, writeJob, nameOfRun, type QueuedRun, type RunJob } from '../run-job.ts';
import { JOB_OF_RUN_KEY, QUEUE_PREFIX, RUN_QUEUE } from '../names.ts';
import type { QueueCounts, RunQueue } from '../run-queue.ts';
import { advanceVirtualTime, MAX_PRIORITY, readJobStates } from './bullmq-layout.ts';

const MAX_RUNS_PER_JOB = 16;
/**
 * Runs that are queued together make at least so many jobs for each consuming worker, so that all of them share the
 * runs.
 */
const MIN_JOBS_PER_WORKER = 2;
/** Number of workers that is assumed if it is not known. */
const ASSUMED_WORKERS = 4;
/**
 * Jobs have snapshots of their runs while fewer jobs wait: some 40 MB of Redis' memory, however long the queue gets.
 */
const MAX_JOBS_WITH_SNAPSHOTS = 1_000;
/** Longest trigger data in a snapshot, in characters. */
const MAX_SNAPSHOT_CHARACTERS = 2_048;
/** Shortest time between two reads of the queue's virtual time, in ms. */
const PROGRESS_INTERVAL_MS = 100;

/**
 * Opens the producing side of the queue, as BullMQ keeps it.
 * @param connection a `producer` connection, which the caller closes.
 * @param options.takingWorkers returns the number of workers that take jobs; 0 if it is not known.
 */
export function createRunQueue(
  connection: Redis,
  { takingWorkers = () => 0 }: { takingWorkers?: () => number } = {},
): RunQueue {
  const queue = new Queue<JobData>(RUN_QUEUE, {
    connection,
    prefix: QUEUE_PREFIX,
    skipWaitingForReady: true,
    skipVersionCheck: true,
    skipMetasUpdate: true,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  // The connection's owner logs its errors; without a listener an emitter's error would end the process.
  queue.on('error', () => undefined);
  const order = createFairOrder({ maxPriority: MAX_PRIORITY });
  let progressReadAt = -Infinity;
  let isReading = false;
  let isLong = false;

  /** Updates the virtual time in the background, unless it was read recently. */
  function followProgress(): void {
    if (isReading || performance.now() - progressReadAt < PROGRESS_INTERVAL_MS) return;
    isReading = true;
    advanceVirtualTime(connection, order.latest())
      .then((progress) => {
        order.observe(progress);
        isLong = progress.waiting >= MAX_JOBS_WITH_SNAPSHOTS;
        progressReadAt = performance.now();
      })
      // The jobs go out over the same connection, and their error reaches the caller.
      .catch(() => undefined)
      .finally(() => {
        isReading = false;
      });
  }

  async function addJobs(jobs: readonly { runs: readonly RunJob[]; priority: number }[]): Promise<void> {
    const jobOfRun = new Map<string, string>();
    const entries = jobs.flatMap(({ runs, priority }) => {
      const [first] = runs;
      if (!first) return [];
      const jobId = nameOfRun(first);
      if (runs.length > 1) for (const run of runs) jobOfRun.set(nameOfRun(run), jobId);
      return [{ name: 'run', data: writeJob(runs.map(limitSnapshot)), opts: { jobId, priority } }];
    });
    // The index is sent first, so that no job is delivered before it is known which runs it has.
    await Promise.all([
      jobOfRun.size > 0 ? connection.hset(JOB_OF_RUN_KEY, jobOfRun) : undefined,
      queue.addBulk(entries),
    ]);
  }

  function limitSnapshot(run: RunJob): RunJob {
    if (!run.snapshot) return run;
    const isKept = !isLong && run.snapshot.triggerData.length <= MAX_SNAPSHOT_CHARACTERS;
    return isKept ? run : { executionId: run.executionId, dispatch: run.dispatch };
  }

  async function forget(runs: readonly RunJob[]): Promise<void> {
    if (runs.length > 0) await connection.hdel(JOB_OF_RUN_KEY, ...runs.map(nameOfRun));
  }

  async function counts(): Promise<QueueCounts> {
    const {
      waiting = 0,
      prioritized = 0,
      active = 0,
      delayed = 0,
    } = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
    return { waiting: waiting + prioritized, active, delayed };
  }

  return {
    async add(runs) {
      if (runs.length === 0) return;
      followProgress();
      const minJobs = (takingWorkers() || ASSUMED_WORKERS) * MIN_JOBS_PER_WORKER;
      const size = Math.min(Math.ceil(runs.length / minJobs), MAX_RUNS_PER_JOB);
      await addJobs(
        byFlow(runs).flatMap(({ flow, priority, runs: ofFlow }) =>
          chunks(ofFlow, size).map((chunk) => ({ runs: chunk, priority: order.next(flow, chunk.length, priority) })),
        ),
      );
    },
    async putBack(runs, position) {
      // A run that is alone in its job is found by its own name.
      if (runs.length === 1) await forget(runs);
      await addJobs([{ runs, priority: position }]);
    },
    forget,
    async jobStates(runs) {
      if (runs.length === 0) return [];
      const names = runs.map(nameOfRun);
      const jobIds = await connection.hmget(JOB_OF_RUN_KEY, ...names);
      return readJobStates(
        connection,
        names.map((name, index) => jobIds[index] ?? name),
      );
    },
    counts,
    async tidy() {
      const { waiting, active, delayed } = await counts();
      if (waiting + active + delayed === 0) await connection.del(JOB_OF_RUN_KEY);
    },
    close: () => queue.close(),
  };
}

/** Runs of a flow with the same priority. */
interface FlowRuns {
  readonly flow: string;
  readonly priority: number;
  readonly runs: QueuedRun[];
}

/** Groups runs by flow (one per workspace, and another for its runs that are dispatched again) and by priority. */
function byFlow(runs: readonly QueuedRun[]): FlowRuns[] {
  const groups = new Map<string, FlowRuns>();
  for (const run of runs) {
    const flow = run.dispatch > 1 ? `${run.workspaceId} again` : run.workspaceId;
    const priority = run.priority ?? 0;
    const name = priority === 0 ? flow : `${flow} ${priority}`;
    const group = groups.get(name);
    if (group) group.runs.push(run);
    else groups.set(name, { flow, priority, runs: [run] });
  }
  return [...groups.values()];
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
