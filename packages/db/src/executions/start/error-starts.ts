import { type ErrorCode, parseOwnJson } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { LOCK_RUNS } from '../../lock-order.ts';
import { isNotExcluded, type RowPage } from '../../maintenance/find-runs.ts';
import { insertWithKeys } from './accept.ts';
import type { AcceptRefusal, AcceptRequest, AddWorkflowKey } from './admission.ts';

/** After this time, a start that a limit of runs per minute delays is given up. */
const GIVEN_UP_AFTER = Prisma.sql`interval '1 hour'`;

/** A failed run whose error workflow has to start. */
export interface DueErrorStart {
  /** The failed run. */
  readonly executionId: string;
  readonly workspaceId: string;
  /** The workspace's limit of runs per minute. */
  readonly executionsPerMinute: number | null;
  /** Whether a limit has delayed it for so long that it is given up instead of delayed again. */
  readonly isLate: boolean;
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
    SELECT s.execution_id AS "executionId", s.workspace_id AS "workspaceId",
      w.executions_per_minute AS "executionsPerMinute", s.failed_at < now() - ${GIVEN_UP_AFTER} AS "isLate"
    FROM (SELECT * FROM chosen s ORDER BY s.place, s.next_attempt_at, s.execution_id LIMIT ${limit}) s
    LEFT JOIN workspaces w ON w.id = s.workspace_id
    ORDER BY s.place, s.next_attempt_at, s.execution_id`);
}

/** Delays the error workflows of failed runs, because a limit of their workspace is reached. */
export async function delayErrorStarts(db: Database, executionIds: readonly string[], seconds: number): Promise<void> {
  await db.$executeRaw(Prisma.sql`/* error-starts.delay */
    UPDATE error_starts SET next_attempt_at = now() + ${seconds}::int * interval '1 second'
    WHERE execution_id IN (
      SELECT execution_id FROM error_starts WHERE execution_id = ANY (${[...executionIds]}::uuid[])
      ORDER BY execution_id FOR UPDATE SKIP LOCKED)`);
}

/** A due start. It is counted under its workspace's limit of runs per minute once nothing else refuses it. */
export interface CountedErrorStart {
  readonly executionId: string;
  /** The limit under which it was counted; null if it was not. */
  readonly countedUnder: number | null;
  /** Why it is given up; undefined if it is not. */
  readonly refusal?: ErrorCode;
}

/** What became of a due start. */
export interface ErrorStartResult {
  /** The failed run. */
  readonly failedId: string;
  readonly workspaceId: string;
  readonly errorWorkflowId: string;
  /** The run of the error workflow, or why there is none. */
  readonly result: { readonly executionId: string } | { readonly code: ErrorCode };
}

interface TakenRow {
  readonly failedId: string;
  readonly workspaceId: string;
  readonly errorWorkflowId: string;
  readonly workflowId: string | null;
  readonly workflowName: string | null;
  readonly workflowVersionId: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly tags: string[] | null;
  readonly metadata: object | null;
}

/**
 * Starts the error workflows of failed runs, records at these which runs they are, or why there are none, and removes
 * the starts from the list, all in one transaction. So each is started once, and no failed run is forgotten.
 *
 * Race: two holders of the lease. They take different rows (SKIP LOCKED), and a row that is taken is gone afterwards.
 * A start that has to be counted stays in the list, and so do those whose keys take too long to find.
 * @returns the results, and the failed runs whose starts have to be counted.
 */
export function startErrorWorkflows(
  db: Database,
  starts: readonly CountedErrorStart[],
  addKey: AddWorkflowKey,
): Promise<{ readonly results: readonly ErrorStartResult[]; readonly uncounted: readonly string[] }> {
  return db.$transaction(async (tx) => {
    const taken = await take(
      tx,
      starts.map(({ executionId }) => executionId),
    );
    const asked = new Map(starts.map((start) => [start.executionId, start]));
    const requests = taken.flatMap((row) => {
      const start = asked.get(row.failedId);
      return row.workflowId === null || !start || start.refusal ? [] : [toRequest(row, start.countedUnder)];
    });
    const verdicts = requests.length === 0 ? [] : await insertWithKeys(tx, requests, addKey);
    const byFailed = new Map(
      requests.map(({ errorOf, executionId }, index) => [errorOf, { executionId, verdict: verdicts[index] }]),
    );
    const results: ErrorStartResult[] = [];
    const settled: string[] = [];
    const uncounted: string[] = [];
    for (const { failedId, workspaceId, errorWorkflowId } of taken) {
      const { executionId, verdict } = byFailed.get(failedId) ?? { executionId: '', verdict: undefined };
      const refusal = asked.get(failedId)?.refusal;
      if (verdict?.kind === 'notCounted') uncounted.push(failedId);
      if (verdict?.kind === 'notCounted' || verdict?.kind === 'needsKey') continue;
      settled.push(failedId);
      const of = { failedId, workspaceId, errorWorkflowId };
      if (verdict?.kind === 'accepted') results.push({ ...of, result: { executionId } });
      else if (verdict) results.push({ ...of, result: { code: codeOf(verdict) } });
      else if (refusal) results.push({ ...of, result: { code: refusal } });
    }
    await record(tx, results);
    await tx.$executeRaw(Prisma.sql`/* error-starts.settle */
      DELETE FROM error_starts WHERE execution_id = ANY (${settled}::uuid[])`);
    return { results, uncounted };
  });
}

/** Locks starts, and reads their failed runs, of which retention may have deleted some. */
function take(tx: Queryable, executionIds: readonly string[]): Promise<TakenRow[]> {
  return tx.$queryRaw<TakenRow[]>(Prisma.sql`/* error-starts.take */
    SELECT s.execution_id AS "failedId", s.workspace_id AS "workspaceId", s.error_workflow_id AS "errorWorkflowId",
      e.workflow_id AS "workflowId", w.name AS "workflowName", e.workflow_version_id AS "workflowVersionId",
      e.status::text, e.error, e.created_at AS "createdAt", e.started_at AS "startedAt", e.finished_at AS "finishedAt",
      e.tags, e.metadata
    FROM error_starts s LEFT JOIN executions e ON e.id = s.execution_id LEFT JOIN workflows w ON w.id = e.workflow_id
    WHERE s.execution_id = ANY (${[...executionIds]}::uuid[])
    ORDER BY s.execution_id FOR UPDATE OF s SKIP LOCKED`);
}

/** Returns the request for the run of an error workflow: of its active version, in the workspace of the failed run. */
function toRequest(row: TakenRow, countedUnder: number | null): AcceptRequest & { readonly errorOf: string } {
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
    ...(countedUnder === null ? {} : { countedUnder }),
  };
}

function codeOf({ kind }: AcceptRefusal): ErrorCode {
  switch (kind) {
    case 'inactive':
    case 'noVersion':
    case 'noTrigger':
    case 'unknownTrigger':
      return 'NO_ACTIVE_VERSION';
    case 'overQuota':
      return 'workspace_over_quota';
    case 'notCounted':
      return 'workspace_rate_limited';
    // Only starts whose options have a limit by a key.
    case 'limitReached':
      return 'CONCURRENCY_LIMIT';
    case 'forbidden':
    case 'notFound':
      return 'NOT_FOUND';
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
