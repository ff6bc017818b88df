import { type ErrorCode, parseOwnJson } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import { isNotExcluded, type RowPage } from '../../maintenance/find-runs.ts';
import { type Counted, isUnsettled, settleStarts, type StartLimits, type Unsettled } from './settle-starts.ts';
import type { Accepted, StartRefusal, StartRequest } from './start-request.ts';
import { insertAdmitted } from './start-runs.ts';

/** After this time, a start that a limit of runs per minute delays is given up. */
const GIVEN_UP_AFTER = Prisma.sql`interval '1 hour'`;

/** A failed run whose error workflow has to start. */
export interface DueErrorStart {
  /** The failed run. */
  readonly executionId: string;
  readonly workspaceId: string;
}

/**
 * Finds failed runs whose error workflows are due: of each workspace as many, those that have waited longest first.
 * What is left of the page goes to those that have waited longest in all. So a workspace waits for no failures of
 * others, and a page is full if there are enough starts.
 */
export function findDueErrorStarts(db: Database, { limit, except }: RowPage): Promise<DueErrorStart[]> {
  const isDue = Prisma.sql`s.next_attempt_at <= now() AND ${isNotExcluded(Prisma.sql`s.execution_id`, except)}`;
  const inOrder = Prisma.sql`ORDER BY s.next_attempt_at, s.execution_id`;
  // Workspaces are found by jumping from one to the next in the index on workspace_id and next_attempt_at, which also
  // serves their shares. The rest is served by the index on next_attempt_at. So this reads two pages and two rows for
  // each workspace, however many starts wait.
  return db.$queryRaw<DueErrorStart[]>(Prisma.sql`/* error-starts.find-due */
    WITH RECURSIVE lanes AS (
      (SELECT s.workspace_id FROM error_starts s ORDER BY s.workspace_id LIMIT 1)
      UNION ALL
      SELECT (SELECT s.workspace_id FROM error_starts s WHERE s.workspace_id > l.workspace_id ORDER BY s.workspace_id LIMIT 1)
      FROM lanes l WHERE l.workspace_id IS NOT NULL
    ), shares AS (
      SELECT s.*, row_number() OVER (PARTITION BY s.workspace_id ${inOrder}) AS place
      FROM lanes l CROSS JOIN LATERAL (
        SELECT s.* FROM error_starts s WHERE s.workspace_id = l.workspace_id AND ${isDue}
        ${inOrder} LIMIT (SELECT ceil(${limit}::float8 / nullif(count(workspace_id), 0))::int FROM lanes)
      ) s
    ), chosen AS (
      SELECT * FROM shares
      UNION ALL
      SELECT s.*, NULL FROM (SELECT s.* FROM error_starts s WHERE ${isDue} ${inOrder} LIMIT ${limit}) s
      WHERE NOT EXISTS (SELECT FROM shares o WHERE o.execution_id = s.execution_id)
    )
    SELECT s.execution_id AS "executionId", s.workspace_id AS "workspaceId"
    FROM (SELECT * FROM chosen s ORDER BY s.place, s.next_attempt_at, s.execution_id LIMIT ${limit}) s
    ORDER BY s.place, s.next_attempt_at, s.execution_id`);
}

/** What became of a due start. */
export interface ErrorStartResult {
  readonly kind: 'ended';
  /** The failed run. */
  readonly failedId: string;
  readonly workspaceId: string;
  readonly errorWorkflowId: string;
  /** The run of the error workflow, or why there is none. */
  readonly result: { readonly executionId: string } | { readonly code: ErrorCode };
}

/** A start that is due, and the failed run, if retention has not deleted it. */
interface FailedRun {
  readonly failedId: string;
  readonly workspaceId: string;
  readonly errorWorkflowId: string;
  /** Whether a limit has delayed it for so long that it is given up instead of delayed again. */
  readonly isLate: boolean;
  readonly workflowId: string | null;
  readonly workflowName: string | null;
  readonly workflowVersionId: string | null;
  readonly status: string | null;
  readonly error: string | null;
  readonly createdAt: Date | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly tags: string[] | null;
  readonly metadata: object | null;
}

/** A start of an error workflow; without a request, only its row is deleted. */
interface ErrorStart {
  readonly failed: FailedRun;
  readonly request: Counted<StartRequest> | null;
}

/** `left`: another process takes the start, or there is nothing to start. */
type Verdict = ErrorStartResult | { readonly kind: 'left' } | Unsettled;

/**
 * Starts the error workflows of failed runs, or gives them up. Those beyond a limit of runs per minute are delayed, or
 * given up if they are late.
 * @param onEnded called after each transaction with what it started or gave up: a later one may fail.
 */
export async function startErrorWorkflows(
  db: Database,
  due: readonly DueErrorStart[],
  limits: StartLimits,
  onEnded: (results: readonly ErrorStartResult[]) => Promise<void>,
): Promise<void> {
  const starts = await readStarts(db, due);
  const outcomes = await settleStarts<ErrorStart, Exclude<Verdict, Unsettled>>(
    starts,
    async (batch) => {
      const verdicts = await startTaken(db, batch);
      await onEnded(verdicts.filter((verdict) => verdict.kind === 'ended'));
      return verdicts;
    },
    limits,
    { later: { kind: 'left' } },
  );
  const late: FailedRun[] = [];
  const delayed = new Map<number, string[]>();
  for (const [index, { failed }] of starts.entries()) {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'rateLimited') continue;
    const { resetSeconds } = outcome.count;
    if (failed.isLate) late.push(failed);
    else delayed.set(resetSeconds, [...(delayed.get(resetSeconds) ?? []), failed.failedId]);
  }
  for (const [seconds, ids] of delayed) await delay(db, ids, seconds);
  if (late.length > 0) await onEnded(await giveUp(db, late, 'workspace_rate_limited'));
}

/** Reads due starts and their failed runs, and builds the requests. */
async function readStarts(db: Database, due: readonly DueErrorStart[]): Promise<ErrorStart[]> {
  const rows = await db.$queryRaw<FailedRun[]>(Prisma.sql`/* error-starts.read */
    SELECT s.execution_id AS "failedId", s.workspace_id AS "workspaceId", s.error_workflow_id AS "errorWorkflowId",
      s.failed_at < now() - ${GIVEN_UP_AFTER} AS "isLate", e.workflow_id AS "workflowId", w.name AS "workflowName",
      e.workflow_version_id AS "workflowVersionId", e.status::text, e.error, e.created_at AS "createdAt",
      e.started_at AS "startedAt", e.finished_at AS "finishedAt", e.tags, e.metadata
    FROM error_starts s LEFT JOIN executions e ON e.id = s.execution_id LEFT JOIN workflows w ON w.id = e.workflow_id
    WHERE s.execution_id = ANY (${due.map(({ executionId }) => executionId)}::uuid[])`);
  return rows.map((failed) => ({ failed, request: failed.workflowId === null ? null : toRequest(failed) }));
}

/**
 * Starts error workflows, records at the failed runs which runs they are, or why there are none, and removes the starts
 * from the list, all in one transaction. So each is started once, and no failed run is forgotten. A start without a
 * final verdict stays in the list.
 */
function startTaken(db: Database, starts: readonly ErrorStart[]): Promise<Verdict[]> {
  return db.$transaction(async (tx) => {
    const taken = await take(
      tx,
      starts.map(({ failed }) => failed),
    );
    const requests = starts.flatMap(({ failed, request }) => (request && taken.has(failed.failedId) ? request : []));
    const written = requests.length === 0 ? [] : await insertAdmitted(tx, requests);
    const byFailed = new Map(requests.map(({ errorOf }, index) => [errorOf, written[index]]));
    const verdicts: Verdict[] = [];
    for (const { failed, request } of starts) {
      const verdict = byFailed.get(failed.failedId);
      if (!request || !verdict) verdicts.push({ kind: 'left' });
      else verdicts.push(isUnsettled(verdict) ? verdict : toEnd(failed, resultOf(request, verdict)));
      // It stays in the list until it has a final verdict.
      if (verdict && isUnsettled(verdict)) taken.delete(failed.failedId);
    }
    await end(
      tx,
      [...taken],
      verdicts.flatMap((verdict) => (verdict.kind === 'ended' ? verdict : [])),
    );
    return verdicts;
  });
}

/** Records at failed runs that their error workflows are not started, and removes the starts from the list. */
function giveUp(db: Database, failed: readonly FailedRun[], code: ErrorCode): Promise<ErrorStartResult[]> {
  return db.$transaction(async (tx) => {
    const taken = await take(tx, failed);
    const results = failed.flatMap((each) => (taken.has(each.failedId) ? toEnd(each, { code }) : []));
    await end(tx, [...taken], results);
    return results;
  });
}

/** Locks starts that are still in the list, and that no other process takes. @returns the ids of the failed runs. */
async function take(tx: Queryable, failed: readonly FailedRun[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* error-starts.take */
    SELECT s.execution_id AS id FROM error_starts s
    WHERE s.execution_id = ANY (${failed.map(({ failedId }) => failedId)}::uuid[])
    ORDER BY s.execution_id FOR UPDATE OF s SKIP LOCKED`);
  return new Set(rows.map(({ id }) => id));
}

/** Records results at the failed runs, and removes starts from the list. */
async function end(tx: Queryable, ids: readonly string[], results: readonly ErrorStartResult[]): Promise<void> {
  await record(tx, results);
  await tx.$executeRaw(Prisma.sql`/* error-starts.settle */
    DELETE FROM error_starts WHERE execution_id = ANY (${[...ids]}::uuid[])`);
}

/** Delays starts, because a limit of their workspace is reached. */
async function delay(db: Database, ids: readonly string[], seconds: number): Promise<void> {
  await db.$executeRaw(Prisma.sql`/* error-starts.delay */
    UPDATE error_starts SET next_attempt_at = now() + ${seconds}::int * interval '1 second'
    WHERE execution_id IN (
      SELECT execution_id FROM error_starts WHERE execution_id = ANY (${[...ids]}::uuid[])
      ORDER BY execution_id FOR UPDATE SKIP LOCKED)`);
}

function toEnd(
  { failedId, workspaceId, errorWorkflowId }: FailedRun,
  result: ErrorStartResult['result'],
): ErrorStartResult {
  return { kind: 'ended', failedId, workspaceId, errorWorkflowId, result };
}

/** Returns the request for the run of an error workflow: of its active version, in the workspace of the failed run. */
function toRequest(row: FailedRun): StartRequest {
  const { failedId, workspaceId, workflowId, workflowName, workflowVersionId, status } = row;
  const error = row.error === null ? null : parseOwnJson<{ readonly nodeId: string | null }>(row.error);
  const triggerData = {
    executionId: failedId,
    workspaceId,
    workflowId,
    workflowName,
    workflowVersionId,
    status,
    error,
    failedNodeId: error?.nodeId ?? null,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    tags: row.tags ?? [],
    metadata: row.metadata ?? {},
  };
  return {
    executionId: uuidv7(),
    workflowId: row.errorWorkflowId,
    workspaceId,
    actor: null,
    triggerNodeId: null,
    isActiveVersion: true,
    mode: 'normal',
    source: 'error',
    triggerData: JSON.stringify(triggerData),
    errorOf: failedId,
  };
}

function resultOf({ executionId }: StartRequest, { kind }: Accepted | StartRefusal): ErrorStartResult['result'] {
  switch (kind) {
    case 'accepted':
      return { executionId };
    case 'inactive':
    case 'noVersion':
    case 'noTrigger':
    case 'unknownTrigger':
      return { code: 'NO_ACTIVE_VERSION' };
    case 'overQuota':
      return { code: 'workspace_over_quota' };
    default:
      return { code: 'NOT_FOUND' };
  }
}

/** Records the results at the failed runs. */
async function record(tx: Queryable, results: readonly ErrorStartResult[]): Promise<void> {
  await tx.$executeRaw(Prisma.sql`/* error-starts.record */
    WITH given AS (
      SELECT * FROM unnest(
        ${results.map(({ failedId }) => failedId)}::uuid[],
        ${results.map(({ result }) => ('executionId' in result ? result.executionId : null))}::uuid[],
        ${results.map(({ result }) => ('code' in result ? result.code : null))}::text[]
      ) AS g (id, execution_id, code)
    ), locked AS (
      SELECT e.id FROM executions e WHERE e.id = ANY (${results.map(({ failedId }) => failedId)}::uuid[]) ${LOCK_RUNS}
    )
    UPDATE executions e SET error_execution_id = g.execution_id, error_start_code = g.code, revision = e.revision + 1
    FROM locked l JOIN given g ON g.id = l.id WHERE e.id = l.id`);
}
