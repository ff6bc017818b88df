import { Prisma, type Queryable } from '../client.js';
import type { DispatchedExecution } from '../executions/reconcile.js';
import { LOCK_RUNS } from '../lock-order.js';
import type { FreeSlots, HeldBack } from './admit.js';
import { IS_HELD_BACK } from './demand.js';
import { DISPATCH_AGAIN, DISPATCHED } from '../executions/run-status.js';

/**
 * Sends held back runs to workers. Under a limit they stay marked until they are claimed, which keeps their turn;
 * without one any worker may claim them at once.
 * @returns their new dispatches; one that was stopped, paused or dispatched meanwhile is missing.
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

/** Locks runs in the order of their ids, as everybody does who changes several. One alone needs no order. */
export async function lockRuns(tx: Queryable, runs: readonly { readonly id: string }[]): Promise<void> {
  if (runs.length < 2) return;
  await tx.$queryRaw(Prisma.sql`/* concurrency.lock-runs */
    SELECT e.id FROM executions e WHERE e.id = ANY(${runs.map(({ id }) => id)}::uuid[]) ${LOCK_RUNS}`);
}
