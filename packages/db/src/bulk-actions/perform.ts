import {
  type BulkActionError,
  DeckhandError,
  type ErrorCode,
  MAX_BULK_ERRORS,
  parseOwnJson,
} from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import type { FoundRun } from '../maintenance/find-runs.ts';
import { endBulkAction } from './bulk-actions.ts';
import {
  type BulkOutcome,
  deleteRuns,
  type DueBulkAction,
  type RerunChecks,
  rerunRuns,
  stopRuns,
  toError,
} from './act-on-runs.ts';

/** How long the rest of a batch waits, in seconds: for a limit that has no end time, and for runs in use. */
const BLOCKED_SECONDS = 60;
const IN_USE_SECONDS = 1;

/**
 * Finds bulk actions whose next batch is due, by their workspaces. Of each workspace only the one that waited longest:
 * however many a workspace has, it gets one batch before the others get theirs.
 * @param page.after the workspace after which to continue; undefined for the beginning.
 */
export function findDueBulkActions(
  db: Database,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<DueBulkAction[]> {
  // Served by bulk_actions_running.
  return db.$queryRaw<DueBulkAction[]>(Prisma.sql`/* bulk-actions.find-due */
    SELECT due.id, due.workspace_id AS "workspaceId", due.kind::text, due.version,
      due.from_failed_node AS "fromFailedNode", due.rate_per_second AS "ratePerSecond", due.created_by AS "createdBy",
      due.api_key_id AS "apiKeyId", ws.executions_per_minute AS "executionsPerMinute"
    FROM (
      SELECT DISTINCT ON (b.workspace_id) b.* FROM bulk_actions b
      WHERE b.status = 'running' AND b.next_batch_at <= now()
        AND (${after ?? null}::uuid IS NULL OR b.workspace_id > ${after ?? null}::uuid)
      ORDER BY b.workspace_id, b.next_batch_at, b.id LIMIT ${limit}
    ) due JOIN workspaces ws ON ws.id = due.workspace_id
    ORDER BY due.workspace_id`);
}

/** Finds runs that a bulk action has yet to settle, by ascending id. */
export function findUnsettledRuns(db: Database, actionId: string, limit: number): Promise<FoundRun[]> {
  return db.$queryRaw<FoundRun[]>(Prisma.sql`/* bulk-actions.find-runs */
    SELECT r.execution_id AS id, coalesce(e.stored_bytes, 0)::float8 AS bytes
    FROM (
      SELECT execution_id FROM bulk_action_runs WHERE action_id = ${actionId}::uuid ORDER BY execution_id LIMIT ${limit}
    ) r LEFT JOIN executions e ON e.id = r.execution_id
    ORDER BY r.execution_id`);
}

/**
 * Acts on runs of a bulk action, and settles them in the same transaction: however often this is repeated, and whenever
 * a process dies, each run is acted on once.
 *
 * Race: another worker that acts on the same runs, and a person who aborts. Both need the lock of the action's row;
 * afterwards, the runs are read again.
 * @param batch.countedUnder the limit of runs per minute under which new runs were counted; null if they were not.
 * @returns what it did; undefined if the action does not run any more, or another worker is acting on it.
 */
export function performBatch(
  db: Database,
  action: DueBulkAction,
  { executionIds, countedUnder }: { readonly executionIds: readonly string[]; readonly countedUnder: number | null },
  checks: RerunChecks,
): Promise<BulkOutcome | undefined> {
  return inBatch(db, action, executionIds, (tx, actor, ids) => {
    switch (action.kind) {
      case 'stop':
        return stopRuns(tx, action.workspaceId, ids);
      case 'delete':
        return deleteRuns(tx, action.workspaceId, ids);
      case 'rerun':
        return rerunRuns(tx, { action, countedUnder }, actor, ids, checks);
    }
  });
}

/** Settles a run as failed, because acting on it fails even alone. */
export function failUnsettledRun(
  db: Database,
  action: DueBulkAction,
  executionId: string,
): Promise<BulkOutcome | undefined> {
  const failed = [toError(executionId, new DeckhandError('INTERNAL'))];
  return inBatch(db, action, [executionId], () =>
    Promise.resolve({ done: [], failed, skipped: [], startedIds: [], uncounted: [] }),
  );
}

/** Delays the next batch of a bulk action, because a limit of its workspace is reached. */
export async function delayBulkAction(db: Database, id: string, by: ErrorCode, seconds: number): Promise<void> {
  await db.$executeRaw(Prisma.sql`/* bulk-actions.delay */
    UPDATE bulk_actions SET blocked_by = ${by}, next_batch_at = now() + ${seconds}::int * interval '1 second'
    WHERE id = ${id}::uuid AND status = 'running'`);
}

function inBatch(
  db: Database,
  action: DueBulkAction,
  executionIds: readonly string[],
  act: (tx: Queryable, actor: Actor, ids: readonly string[]) => Promise<BulkOutcome>,
): Promise<BulkOutcome | undefined> {
  return db.$transaction(async (tx) => {
    const [state] = await tx.$queryRaw<{ errors: string; mayAct: boolean }[]>(Prisma.sql`/* bulk-actions.take */
      SELECT b.errors,
        EXISTS (
          SELECT 1 FROM memberships m
          WHERE m.workspace_id = b.workspace_id AND m.user_id = b.created_by AND m.role <> 'viewer'
        ) AND (b.api_key_id IS NULL OR EXISTS (
          SELECT 1 FROM api_keys k WHERE k.id = b.api_key_id AND k.revoked_at IS NULL
        )) AS "mayAct"
      FROM bulk_actions b WHERE b.id = ${action.id}::uuid AND b.status = 'running' FOR UPDATE OF b SKIP LOCKED`);
    if (!state) return undefined;
    const actor = actorOf(action);
    if (!state.mayAct) {
      await endBulkAction(tx, action.id, 'failed');
      await recordEnd(tx, actor, action, { status: 'failed' });
      return undefined;
    }
    const rows = await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* bulk-actions.read-runs */
      SELECT execution_id AS id FROM bulk_action_runs
      WHERE action_id = ${action.id}::uuid AND execution_id = ANY (${[...executionIds]}::uuid[]) ORDER BY execution_id`);
    const ids = rows.map(({ id }) => id);
    // Another process, or this one before its answer was lost, has settled all of them.
    if (ids.length === 0) return undefined;
    const outcome = await act(tx, actor, ids);
    if (action.kind === 'delete' && outcome.done.length > 0) {
      await recordChange(tx, actor, {
        action: 'execution.deleteMany',
        workspaceId: action.workspaceId,
        resourceId: action.id,
        details: { executionIds: outcome.done },
      });
    }
    await settle(tx, action, outcome, parseOwnJson<BulkActionError[]>(state.errors));
    return outcome;
  });
}

/** Counts the runs of a batch, and ends the action if they were the last ones. */
async function settle(
  tx: Queryable,
  action: DueBulkAction,
  { done, failed, skipped, uncounted, blockedBy }: BulkOutcome,
  earlier: readonly BulkActionError[],
): Promise<void> {
  const settled = [...done, ...[...failed, ...skipped].map(({ executionId }) => executionId)];
  // What is counted next goes on with the batch.
  if (settled.length === 0 && uncounted.length > 0 && blockedBy === undefined) return;
  await tx.$executeRaw(Prisma.sql`/* bulk-actions.settle-runs */
    DELETE FROM bulk_action_runs
    WHERE action_id = ${action.id}::uuid AND execution_id = ANY (${settled}::uuid[])`);
  const errors = JSON.stringify([...earlier, ...failed, ...skipped].slice(0, MAX_BULK_ERRORS));
  // A second of the rate that was not used, because batches were late, is caught up.
  const pause = action.ratePerSecond === null ? 0 : settled.length / action.ratePerSecond;
  const wait = blockedBy !== undefined ? BLOCKED_SECONDS : settled.length === 0 ? IN_USE_SECONDS : 0;
  const [after] = await tx.$queryRaw<
    { status: string; done: number; failed: number; skipped: number }[]
  >(Prisma.sql`/* bulk-actions.count-runs */
    UPDATE bulk_actions b
    SET done = b.done + ${done.length}, failed = b.failed + ${failed.length}, skipped = b.skipped + ${skipped.length},
      errors = ${errors}, blocked_by = ${blockedBy ?? null},
      next_batch_at = greatest(greatest(b.next_batch_at, now() - interval '1 second')
        + ${pause}::float8 * interval '1 second', now() + ${wait}::int * interval '1 second'),
      status = CASE WHEN l.is_last THEN 'finished'::bulk_action_status ELSE b.status END,
      finished_at = CASE WHEN l.is_last THEN now() END
    FROM (
      SELECT NOT EXISTS (SELECT 1 FROM bulk_action_runs WHERE action_id = ${action.id}::uuid) AS is_last
    ) l
    WHERE b.id = ${action.id}::uuid
    RETURNING b.status::text, b.done, b.failed, b.skipped`);
  if (after?.status === 'finished') await recordEnd(tx, actorOf(action), action, after);
}

async function recordEnd(
  tx: Queryable,
  actor: Actor,
  { id, workspaceId, kind }: DueBulkAction,
  details: Readonly<Record<string, string | number>>,
): Promise<void> {
  const change = { action: 'bulkAction.finish', workspaceId, resourceId: id } as const;
  await recordChange(tx, actor, { ...change, details: { action: kind, ...details } });
}

/** The person for whom a bulk action acts, in its workspace only. */
function actorOf({ createdBy, workspaceId, apiKeyId }: DueBulkAction): Actor {
  return {
    userId: createdBy,
    boundTo: workspaceId,
    origin: () => ({ apiKeyId, address: '', requestId: '' }),
  };
}
