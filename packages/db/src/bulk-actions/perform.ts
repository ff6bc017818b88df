import {
  BULK_ACTION_PERMISSIONS,
  type BulkActionError,
  type ErrorCode,
  MAX_BULK_ERRORS,
  parseOwnJson,
} from '@deckhand/contracts';
import { type Actor, memberMay } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { settleStarts, type Unsettled } from '../executions/start/settle-starts.ts';
import type { FoundRun } from '../maintenance/find-runs.ts';
import { type BulkOutcome, deleteRuns, type DueBulkAction, NOTHING, stopRuns, toEntry } from './act-on-runs.ts';
import { endBulkAction } from './bulk-actions.ts';
import { planReruns, type Rerun, type RerunChecks, type RerunVerdict, startReruns } from './rerun-runs.ts';

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
      due.api_key_id AS "apiKeyId"
    FROM (
      SELECT DISTINCT ON (b.workspace_id) b.* FROM bulk_actions b
      WHERE b.status = 'running' AND b.next_batch_at <= now()
        AND (${after ?? null}::uuid IS NULL OR b.workspace_id > ${after ?? null}::uuid)
      ORDER BY b.workspace_id, b.next_batch_at, b.id LIMIT ${limit}
    ) due
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
 * a process dies, each run is acted on once. Reruns beyond the limit of runs per minute delay the action.
 *
 * Race: another worker that acts on the same runs, and a person who aborts. Both need the lock of the action's row;
 * afterwards, the runs are read again.
 * @param onOutcome called after each transaction with what it did: a later one may fail. Not called if the action does
 * not run any more, or another worker is acting on it.
 */
export async function performBatch(
  db: Database,
  action: DueBulkAction,
  ids: readonly string[],
  checks: RerunChecks,
  onOutcome: (outcome: BulkOutcome) => Promise<void>,
): Promise<void> {
  async function act(executionIds: readonly string[], change: BatchChange): Promise<void> {
    const outcome = await inBatch(db, action, executionIds, change);
    if (outcome) await onOutcome(outcome);
  }
  switch (action.kind) {
    case 'stop':
      return act(ids, (tx, left) => stopRuns(tx, action.workspaceId, left));
    case 'delete':
      return act(ids, (tx, left) => deleteRuns(tx, action.workspaceId, left));
    case 'rerun':
      return performReruns(db, action, await planReruns(db, action, actorOf(action), ids, checks), { checks, act });
  }
}

/** Acts on those runs of a batch that are not settled, in the transaction that settles them. */
type BatchChange = (tx: Queryable, ids: readonly string[]) => Promise<BulkOutcome>;

async function performReruns(
  db: Database,
  action: DueBulkAction,
  reruns: readonly Rerun[],
  parts: { readonly checks: RerunChecks; readonly act: (ids: readonly string[], change: BatchChange) => Promise<void> },
): Promise<void> {
  async function start(batch: readonly Rerun[]): Promise<RerunVerdict[]> {
    let verdicts = new Map<string, RerunVerdict>();
    await parts.act(
      batch.map(({ sourceId }) => sourceId),
      async (tx, left) => {
        const asked = batch.filter(({ sourceId }) => left.includes(sourceId));
        const started = await startReruns(tx, asked);
        verdicts = new Map(asked.map(({ sourceId }, index) => [sourceId, started.verdicts[index] ?? LEFT]));
        return started.outcome;
      },
    );
    return batch.map(({ sourceId }) => verdicts.get(sourceId) ?? LEFT);
  }

  const settled = await settleStarts<Rerun, Exclude<RerunVerdict, Unsettled>>(reruns, start, parts.checks, {
    later: LEFT,
  });
  const limited = settled.find((each) => each.kind === 'rateLimited');
  if (limited) await delayBulkAction(db, action.id, 'workspace_rate_limited', limited.count.resetSeconds);
}

/** A run that stays unsettled. */
const LEFT = { kind: 'left' } as const;

/** Settles a run as failed, because acting on it fails even alone. */
export function failUnsettledRun(
  db: Database,
  action: DueBulkAction,
  executionId: string,
): Promise<BulkOutcome | undefined> {
  const failed = [toEntry(executionId, 'INTERNAL')];
  return inBatch(db, action, [executionId], () => Promise.resolve({ ...NOTHING, failed }));
}

/** Delays the next batch of a bulk action, because a limit of its workspace is reached. */
async function delayBulkAction(db: Database, id: string, by: ErrorCode, seconds: number): Promise<void> {
  await db.$executeRaw(Prisma.sql`/* bulk-actions.delay */
    UPDATE bulk_actions SET blocked_by = ${by}, next_batch_at = now() + ${seconds}::int * interval '1 second'
    WHERE id = ${id}::uuid AND status = 'running'`);
}

function inBatch(
  db: Database,
  action: DueBulkAction,
  executionIds: readonly string[],
  change: BatchChange,
): Promise<BulkOutcome | undefined> {
  return db.$transaction(async (tx) => {
    const [state] = await tx.$queryRaw<{ errors: string; mayAct: boolean }[]>(Prisma.sql`/* bulk-actions.take */
      SELECT b.errors,
        EXISTS (
          SELECT 1 FROM memberships m
          WHERE m.workspace_id = b.workspace_id AND m.user_id = b.created_by AND ${memberMay(BULK_ACTION_PERMISSIONS[action.kind])}
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
    const outcome = await change(tx, ids);
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
  { done, failed, skipped, pending, blockedBy }: BulkOutcome,
  earlier: readonly BulkActionError[],
): Promise<void> {
  const settled = [...done, ...[...failed, ...skipped].map(({ executionId }) => executionId)];
  // They are tried again at once.
  if (settled.length === 0 && pending.length > 0 && blockedBy === undefined) return;
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
