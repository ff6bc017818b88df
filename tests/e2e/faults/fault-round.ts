import { isFinished } from '@deckhand/contracts';
import type { Database } from '@deckhand/db';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedCall } from '../../harness/index.ts';
import { readForbiddenChanges, readStarts } from '../walk/history.ts';
import { type Decision, expectedBody, expectedPaths, FLAKY } from './fault-workflows.ts';

/** How long a request is retried while the API is unavailable, in ms. */
const REQUEST_LIMIT_MS = 40_000;
const POLL_MS = 50;
/** How long a paused run is observed before it is resumed, in ms. */
const PAUSED_MS = 600;
/** How long after a stop a call that was already sent may arrive, in ms. */
const IN_FLIGHT_MS = 1_000;

/** Actions on a run besides faults. */
export type RunPlot =
  | { readonly kind: 'plain'; readonly decision: Decision }
  /** Paused after this many calls, and resumed a little later. */
  | { readonly kind: 'paused'; readonly decision: Decision; readonly afterCalls: number }
  /** Paused while it waits for its approval. */
  | { readonly kind: 'pausedWhileWaiting'; readonly decision: Decision }
  | { readonly kind: 'stopped'; readonly decision: Decision; readonly afterCalls: number };

/** The parts of a round. `db` and `receiver` are reached without faults. */
export interface RoundStage {
  readonly db: Database;
  readonly calls: readonly ReceivedCall[];
  /** The API that meets faults. */
  readonly apiUrl: string;
  readonly key: string;
}

/** A run, and the actions on it. */
export interface DrivenRun {
  readonly n: number;
  readonly plot: RunPlot;
  executionId: string;
  /** When a stop was acknowledged, in ms since the epoch; undefined for a run that was not stopped. */
  stoppedAt?: number;
  /** Violations that its driver saw. */
  readonly violations: string[];
}

/** Responses of the API, by status and code. */
export type Responses = Map<string, number>;

interface Response {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether an earlier attempt of the same request got no response, or a 5xx: it may have been carried out. */
  readonly isRepeated: boolean;
}

/**
 * Drives runs through an API that sometimes fails, like a careful client: requests without a response, or with a 5xx,
 * are sent again.
 */
export function createDriver(stage: RoundStage, responses: Responses) {
  const { db, calls, apiUrl, key } = stage;

  async function ask(run: DrivenRun, path: string, body?: object): Promise<Response> {
    const idempotencyKey = randomUUID();
    const deadline = Date.now() + REQUEST_LIMIT_MS;
    for (let isRepeated = false; ; isRepeated = true) {
      const response = await fetch(`${apiUrl}/api/${path}`, {
        method: 'POST',
        headers: {
          'x-api-key': key,
          'idempotency-key': idempotencyKey,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
      }).catch(() => undefined);
      const text = (await response?.text().catch(() => '')) ?? '';
      const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {};
      const json = parsed as Response['body'];
      const status = response?.status ?? 0;
      const code = typeof json.code === 'string' ? ` ${json.code}` : '';
      const name = `${path.replace(/[0-9a-f-]{36}/, ':id')} ${status}${code}`;
      responses.set(name, (responses.get(name) ?? 0) + 1);
      if (status > 0 && status < 500) return { status, body: json, isRepeated };
      if (Date.now() > deadline) {
        run.violations.push(`${path} got no response within ${REQUEST_LIMIT_MS} ms: ${status} ${text}`);
        return { status, body: json, isRepeated };
      }
      await sleep(POLL_MS);
    }
  }

  const statusOf = async (run: DrivenRun): Promise<string> =>
    (await db.execution.findUnique({ where: { id: run.executionId }, select: { status: true } }))?.status ?? 'missing';
  const hasEnded = async (run: DrivenRun): Promise<boolean> => isEnded(await statusOf(run));
  const callsOf = (run: DrivenRun): number => calls.filter(({ path }) => path.startsWith(`/${run.n}/`)).length;

  async function isWaiting(run: DrivenRun, nodeId = 'ask'): Promise<boolean> {
    const open = await db.wait.count({ where: { executionId: run.executionId, nodeId, answeredAt: null } });
    return open > 0;
  }

  /** Waits for a state of a run, for its end, or for the end of the round. */
  async function waitFor(
    run: DrivenRun,
    what: () => boolean | Promise<boolean>,
    signal: AbortSignal,
  ): Promise<boolean> {
    while (!signal.aborted) {
      if (await what()) return true;
      if (await hasEnded(run)) return false;
      await sleep(POLL_MS);
    }
    return false;
  }

  /** Submits the answer of a node once it waits. */
  async function answer(
    run: DrivenRun,
    { nodeId, path, body }: { nodeId: string; path: string; body: object },
    signal: AbortSignal,
  ): Promise<void> {
    const isReady = async () => (await isWaiting(run, nodeId)) && (await statusOf(run)) !== 'paused';
    while (await waitFor(run, isReady, signal)) {
      const response = await ask(run, path, body);
      if (response.status === 200) return;
      if (response.isRepeated && !(await isWaiting(run, nodeId))) return;
      const now = await statusOf(run);
      if (now !== 'paused' && !isEnded(now) && !(await isWaiting(run, nodeId)))
        run.violations.push(`the answer to ${nodeId} was refused: ${response.status} ${JSON.stringify(response.body)}`);
      await sleep(POLL_MS);
    }
  }

  /** Decides the approval of a run, then submits its form. */
  async function decide(run: DrivenRun, signal: AbortSignal): Promise<void> {
    const { executionId, n, plot } = run;
    const decision = { executionId, nodeId: 'ask', decision: plot.decision };
    await answer(run, { nodeId: 'ask', path: 'approvals/submit', body: decision }, signal);
    const path = `executions/${executionId}/nodes/form/complete`;
    await answer(run, { nodeId: 'form', path, body: { data: { count: n } } }, signal);
  }

  /** Pauses or resumes, unless an earlier attempt did. @returns whether it happened. */
  async function change(run: DrivenRun, act: 'pause' | 'resume' | 'stop'): Promise<boolean> {
    const { status, isRepeated } = await ask(run, `executions/${run.executionId}/${act}`);
    if (status === 200) return true;
    if (status !== 409) run.violations.push(`${act} was answered ${status}`);
    if (!isRepeated) return false;
    const now = await statusOf(run);
    return act === 'pause' ? now === 'paused' : act === 'stop' ? now === 'stopped' : now !== 'paused';
  }

  async function pause(run: DrivenRun): Promise<void> {
    if (!(await change(run, 'pause'))) return;
    await sleep(PAUSED_MS);
    const status = await statusOf(run);
    if (status !== 'paused') run.violations.push(`it was paused, and is ${status} without having been resumed`);
    if (!(await change(run, 'resume')) && (await statusOf(run)) === 'paused')
      run.violations.push('it cannot be resumed');
  }

  async function drive(run: DrivenRun, workflowId: string, signal: AbortSignal): Promise<void> {
    const { status, body } = await ask(run, `workflows/${workflowId}/execute`, { input: { n: run.n } });
    if (status !== 202 || typeof body.executionId !== 'string') {
      run.violations.push(`it was not accepted: ${status} ${JSON.stringify(body)}`);
      return;
    }
    run.executionId = body.executionId;
    const { plot } = run;
    switch (plot.kind) {
      case 'plain':
        return decide(run, signal);
      case 'pausedWhileWaiting':
        if (await waitFor(run, () => isWaiting(run), signal)) await pause(run);
        return decide(run, signal);
      case 'paused': {
        const decided = decide(run, signal);
        if (await waitFor(run, () => callsOf(run) >= plot.afterCalls, signal)) await pause(run);
        return decided;
      }
      case 'stopped': {
        const decided = decide(run, signal);
        if ((await waitFor(run, () => callsOf(run) >= plot.afterCalls, signal)) && (await change(run, 'stop')))
          run.stoppedAt = Date.now();
        return decided;
      }
    }
  }

  return { drive };
}

function isEnded(status: string): boolean {
  return status === 'missing' || (['success', 'failed', 'timeout', 'stopped'] as const).some((end) => end === status);
}

/** The result of a round. */
export interface RoundVerdict {
  /** Runs, children included. */
  readonly runs: number;
  /** Runs with a wrong end or without one of their effects, in words. */
  readonly lost: readonly string[];
  /** Runs that changed after their end, had an effect under two keys, or an effect that they must not have. */
  readonly doubled: readonly string[];
  /** Runs that neither ended nor wait, with their rows. */
  readonly hanging: readonly string[];
  /** Number of effects that were repeated with the same key. */
  readonly repeated: number;
}

interface RunRow {
  readonly id: string;
  readonly status: Parameters<typeof isFinished>[0];
  readonly parent: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly worker: string | null;
  readonly row: string;
}

/** The rows of runs and of the runs that they started. */
async function readRuns(db: Database, ids: readonly string[]): Promise<RunRow[]> {
  return db.$queryRaw<RunRow[]>`
    SELECT e.id, e.status::text AS status, e.parent_execution_id AS parent, e.result, e.error, e.worker_id AS worker,
      (to_jsonb(e) - 'trigger_data' - 'result')::text AS row
    FROM executions e WHERE e.id = ANY (${[...ids]}::uuid[]) OR e.parent_execution_id = ANY (${[...ids]}::uuid[])`;
}

/** Returns whether all these runs, and the runs that they started, have ended. */
export async function areEnded(db: Database, ids: readonly string[]): Promise<boolean> {
  const rows = await readRuns(db, ids);
  return rows.length >= ids.length && rows.every(({ status }) => isFinished(status));
}

/** Compares the runs of a round with their expected results. */
export async function judgeRound(stage: RoundStage, runs: readonly DrivenRun[]): Promise<RoundVerdict> {
  const { db, calls } = stage;
  const rows = await readRuns(
    db,
    runs.flatMap(({ executionId }) => (executionId === '' ? [] : [executionId])),
  );
  const starts = await readStarts(db);
  const forbidden = (await readForbiddenChanges(db)) as { what: string; id: string }[];
  const lost: string[] = [];
  const doubled: string[] = [];
  const hanging: string[] = [];
  let repeated = 0;

  for (const run of runs) {
    const name = `run ${run.n} (${JSON.stringify(run.plot)}) ${run.executionId}`;
    const own = rows.find(({ id }) => id === run.executionId);
    const children = rows.filter(({ parent }) => parent === run.executionId);
    for (const violation of run.violations) lost.push(`${name}: ${violation}`);
    if (!own) continue;
    const family = [own, ...children];
    for (const member of family) {
      const ofMember = member === own ? name : `the child of ${name}`;
      if (!isFinished(member.status)) hanging.push(`${ofMember}: ${member.row}`);
      else if (member.worker !== null) hanging.push(`${ofMember} has ended, and has a worker: ${member.row}`);
      for (const { what, id } of forbidden) if (id === member.id) doubled.push(`${ofMember}: ${what}`);
    }
    if (children.length > 1) doubled.push(`${name}: it has ${children.length} children`);

    const ofRun = calls.filter(({ path }) => path.startsWith(`/${run.n}/`));
    const keysByPath = new Map<string, Set<string>>();
    for (const { path, idempotencyKey, at } of ofRun) {
      const keys = keysByPath.get(path) ?? new Set();
      // In every run, one call is refused and repeated.
      if (keys.has(idempotencyKey) && !path.endsWith(`/${FLAKY}`)) repeated += 1;
      keysByPath.set(path, keys.add(idempotencyKey));
      const id = idempotencyKey.slice(0, idempotencyKey.indexOf(':'));
      const start = starts.get(id)?.findLast((one) => one.idempotencyKey === idempotencyKey && one.at <= at + 1);
      if (start?.runStatus !== 'running')
        doubled.push(
          `${name}: ${path} was called, its start on disk while the run was ${start?.runStatus ?? 'unknown'}`,
        );
      if (run.stoppedAt !== undefined && at > run.stoppedAt + IN_FLIGHT_MS)
        doubled.push(`${name}: ${path} was called ${at - run.stoppedAt} ms after the run was stopped`);
    }
    for (const [path, keys] of keysByPath)
      if (keys.size > 1) doubled.push(`${name}: ${path} was called with the keys ${[...keys].join(', ')}`);

    if (!isFinished(own.status)) continue;
    if (run.stoppedAt !== undefined) {
      if (own.status !== 'stopped') lost.push(`${name}: it was stopped, and is ${own.status}`);
      continue;
    }
    const result: unknown = own.result === null ? null : (JSON.parse(own.result) as { body: unknown }).body;
    const expected = expectedBody(run.n, run.plot.decision);
    if (own.status !== 'success') lost.push(`${name}: it is ${own.status}: ${own.error}`);
    else if (canonical(result) !== canonical(expected)) lost.push(`${name}: its result is ${canonical(result)}`);
    const missing = expectedPaths(run.n).filter((path) => !keysByPath.has(path));
    if (own.status === 'success' && missing.length > 0) lost.push(`${name}: without ${missing.join(', ')}`);
  }
  return { runs: rows.length, lost, doubled, hanging, repeated };
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
