import { type Database, Prisma, type Queryable } from '../client.ts';
import type { DispatchedExecution } from '../executions/claim/reconcile.ts';
import { DISPATCH_AGAIN, DISPATCHED } from '../executions/run-status.ts';
import { LOCK_RUNS } from '../lock-order.ts';
import { admit, type FreeSlots, type HeldBack } from './admit.ts';
import { IS_HELD_BACK, lockSlots, readDemand, type Subject } from './demand.ts';

/** An id that no workflow has, for a subject whose workflow is unknown. */
const NO_WORKFLOW = '00000000-0000-0000-0000-000000000000';

/**
 * Dispatches the oldest held back runs of workflows of which a worker has just released a run, as many as there are
 * free slots. If the workspace has a limit of its own, runs of its other workflows are dispatched too.
 *
 * Race: a run that is held back at the same time because of the released one. The claim that holds it back has the
 * lock: either this call finds the run held back, or the claim finds the slot free.
 * @param left the workflows of the released runs.
 */
export function releaseHeldBack(db: Database, left: readonly Subject[]): Promise<DispatchedExecution[]> {
  return release(db, left, { isThorough: false });
}

/** Does the same for every workflow of these workspaces. */
export function releaseHeldBackOf(db: Database, workspaceIds: readonly string[]): Promise<DispatchedExecution[]> {
  const subjects = workspaceIds.map((workspaceId) => ({ workspaceId, workflowId: NO_WORKFLOW }));
  return release(db, subjects, { isThorough: true });
}

function release(
  db: Database,
  subjects: readonly Subject[],
  options: { isThorough: boolean },
): Promise<DispatchedExecution[]> {
  return db.$transaction(async (tx) => {
    await lockSlots(tx, [...new Set(subjects.map(({ workspaceId }) => workspaceId))]);
    const { slots, heldBack } = await readDemand(tx, subjects, options);
    const { dispatch } = admit([], heldBack, slots);
    if (dispatch.length === 0) return [];
    await lockRuns(tx, dispatch);
    return dispatchHeldBack(tx, dispatch, slots);
  });
}

/** Returns up to `limit` ids of workspaces with held back runs, in ascending order, greater than `after`. */
export async function findWorkspacesHeldBack(db: Database, after: string, limit: number): Promise<string[]> {
  // Served by executions_held_back, by a skip scan over workspaces.
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`/* concurrency.find-workspaces */
    WITH RECURSIVE found AS (
      SELECT ${after}::uuid AS id
      UNION ALL
      SELECT next.workspace_id FROM found f CROSS JOIN LATERAL (
        SELECT e.workspace_id FROM executions e WHERE ${IS_HELD_BACK} AND e.workspace_id > f.id
        ORDER BY e.workspace_id LIMIT 1
      ) next
    )
    SELECT id FROM found OFFSET 1 LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}

/**
 * Dispatches held back runs to workers. Under a limit they stay marked until they are claimed, which keeps their
 * position; without a limit any worker can claim them at once.
 * @returns their new dispatches, without runs that were stopped, paused or dispatched meanwhile.
 */
export async function dispatchHeldBack(
  tx: Queryable,
  runs: readonly HeldBack[],
  slots: FreeSlots,
): Promise<DispatchedExecution[]> {
  if (runs.length === 0) return [];
  const isLimited = (id: string): boolean => (slots.get(id) ?? null) !== null;
  const ids = runs.map(({ id }) => id);
  const limited = runs.map(({ workspaceId, workflowId }) => isLimited(workspaceId) || isLimited(workflowId));
  return tx.$queryRaw<DispatchedExecution[]>(Prisma.sql`/* concurrency.dispatch */
    UPDATE executions e
    SET ${DISPATCH_AGAIN}, held_back_at = CASE WHEN r.is_limited THEN e.held_back_at END
    FROM unnest(${ids}::uuid[], ${limited}::boolean[]) AS r(id, is_limited)
    WHERE e.id = r.id AND ${IS_HELD_BACK} AND e.claimed_dispatch = e.dispatch
    RETURNING ${DISPATCHED}`);
}

/** Locks runs in the order of their ids, as every transaction that changes several does. A single run needs no lock. */
export async function lockRuns(tx: Queryable, runs: readonly { readonly id: string }[]): Promise<void> {
  if (runs.length < 2) return;
  await tx.$queryRaw(Prisma.sql`/* concurrency.lock-runs */
    SELECT e.id FROM executions e WHERE e.id = ANY(${runs.map(({ id }) => id)}::uuid[]) ${LOCK_RUNS}`);
}
