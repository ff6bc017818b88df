import { Prisma } from '@deckhand/db';
import { generateRuns } from './generate-runs.ts';
import { withRssPeak } from './rss.ts';
import { waitForRuns, waitUntil } from './runs.ts';
import { post, type Stack } from './stack.ts';
import { FOUR_NODES, saveWorkflow } from './workflows.ts';

/** Runs of each action: the maximum. */
const RUNS = 100_000;
/** Runs that must be settled before the worker is killed. */
const SETTLED_BEFORE_KILL = RUNS / 2;
/** How far the generated runs are apart: all of them are within minutes, so that none reaches its deadline. */
const SPACING_SECONDS = 0.003;

/** What a bulk action of 100,000 runs took. */
export interface BulkActionRow {
  readonly action: string;
  /** From the request until its response: finding the runs and storing their ids. */
  readonly requestSeconds: number;
  /** Runs per second that one worker settled, until it was killed. */
  readonly perSecond: number;
  /** From the response until the end, with the time until another worker continues. */
  readonly seconds: number;
  /** Resident memory of the API before and during the request, in MB. */
  readonly apiRssBefore: number;
  readonly apiRssPeak: number;
  /** Of the worker that was killed. */
  readonly workerRssPeak: number;
}

/**
 * Stops, reruns and deletes 100,000 runs by a filter. The worker is killed in the middle of each action, and another
 * continues. Throws when a run is missing or was acted on twice.
 */
export async function bulkActions(stack: Stack): Promise<BulkActionRow[]> {
  await stack.worker.kill();
  const [resting, finished] = [await saveRuns(stack, 'resting'), await saveRuns(stack, 'finished')];
  await stack.db.$executeRaw`
    DELETE FROM unindexed_executions u USING executions e WHERE e.id = u.execution_id AND e.workflow_id = ${resting}::uuid`;
  await stack.db.$executeRaw`
    UPDATE executions SET status = 'waiting_for_input', finished_at = NULL, error = NULL WHERE workflow_id = ${resting}::uuid`;
  await stack.db.$executeRaw`VACUUM ANALYZE`;

  const stop = await perform(stack, 'stop', { workflowId: resting });
  await expectAll(
    stack,
    'stopped once',
    Prisma.sql`workflow_id = ${resting}::uuid AND status = 'stopped' AND epoch = 1`,
  );
  const rerun = await perform(stack, 'rerun', { workflowId: finished }, () => waitForRuns(stack, finished));
  const isRerun = Prisma.sql`workflow_id = ${finished}::uuid AND rerun_of IS NOT NULL`;
  await expectAll(stack, 'rerun with success', Prisma.sql`${isRerun} AND status = 'success'`);
  await expectAll(stack, 'rerun once', isRerun, Prisma.sql`DISTINCT rerun_of`);
  const deletion = await perform(stack, 'delete', { workflowId: finished, source: 'api' });
  await expectAll(stack, 'left after the deletion', Prisma.sql`workflow_id = ${finished}::uuid`);
  return [stop, rerun, deletion];
}

/** Saves a workflow with finished runs. @returns its id. */
async function saveRuns(stack: Stack, name: string): Promise<string> {
  const id = await saveWorkflow(stack, name, FOUR_NODES);
  const { latestVersionId } = await stack.db.workflow.findUniqueOrThrow({ where: { id } });
  if (latestVersionId === null) throw new Error(`${name} has no version`);
  const owner = { workspaceId: stack.workspaceId, workflows: [{ id, latestVersionId }] };
  await generateRuns(stack.db, [owner], { count: RUNS, spacingSeconds: SPACING_SECONDS }, () => undefined);
  return id;
}

/** Performs an action. @param untilDone waits for what follows from it, before the second worker stops. */
async function perform(
  stack: Stack,
  action: 'stop' | 'rerun' | 'delete',
  filter: object,
  untilDone: () => Promise<void> = () => Promise.resolve(),
): Promise<BulkActionRow> {
  const first = await stack.addWorker();
  const requestedAt = performance.now();
  const request = await withRssPeak(stack.api.pid, () => {
    const body = { workspaceId: stack.workspaceId, action, filter };
    return post<{ id: string; total: number }>(stack.url, '/api/bulk-actions', body, { 'x-api-key': stack.apiKey });
  });
  const { id, total } = request.value;
  if (total !== RUNS) throw new Error(`${action} found ${total} of ${RUNS} runs`);
  const startedAt = performance.now();
  const read = () => stack.db.bulkAction.findUniqueOrThrow({ where: { id } });
  const half = await withRssPeak(first.pid, async () => {
    await waitUntil(async () => (await read()).done >= SETTLED_BEFORE_KILL, `half of the runs to ${action}`);
    const { done } = await read();
    return (done * 1_000) / (performance.now() - startedAt);
  });
  await first.kill();
  const second = await stack.addWorker();
  await waitUntil(async () => (await read()).status !== 'running', `the last run to ${action}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { status, done, failed, skipped } = await read();
  if (status !== 'finished' || done !== RUNS) {
    throw new Error(`${action} is ${status}: ${done} done, ${failed} failed, ${skipped} skipped`);
  }
  await untilDone();
  await second.stop();
  return {
    action,
    requestSeconds: (startedAt - requestedAt) / 1_000,
    perSecond: half.value,
    seconds,
    apiRssBefore: request.before,
    apiRssPeak: request.peak,
    workerRssPeak: half.peak,
  };
}

/** Throws unless 100,000 runs meet a condition. @param counted what is counted. */
async function expectAll(stack: Stack, what: string, condition: Prisma.Sql, counted = Prisma.sql`*`): Promise<void> {
  const [row] = await stack.db.$queryRaw<{ count: number }[]>(
    Prisma.sql`SELECT count(${counted})::int AS count FROM executions WHERE ${condition}`,
  );
  if (row?.count !== RUNS) throw new Error(`${row?.count ?? 0} of ${RUNS} runs are ${what}`);
}
