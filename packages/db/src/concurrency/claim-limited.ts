import { type Database, Prisma, type Queryable } from '../client.ts';
import { EMIT_STARTED } from '../events/emit.ts';
import {
  CLAIM,
  CLAIMED,
  type ClaimedExecution,
  type ClaimRequest,
  IS_CLAIMABLE,
  STARTED_RUN,
  wanted,
} from '../executions/claim/claim.ts';
import type { DispatchedExecution } from '../executions/claim/reconcile.ts';
import { admit, type Candidate } from './admit.ts';
import { lockSlots, readDemand } from './demand.ts';
import { dispatchHeldBack, lockRuns } from './release.ts';
import { IS_UNCLAIMED } from '../executions/run-status.ts';
import { LOCK_RUNS } from '../lock-order.ts';

/** The result of claiming runs with a limit. */
export interface LimitedClaim {
  readonly claimed: readonly ClaimedExecution[];
  /** Older runs that got a slot first: the caller queues their jobs. */
  readonly dispatched: readonly DispatchedExecution[];
}

/**
 * Claims runs that `claimExecutions` skipped, as many as the limits of their workspaces and workflows allow. The others
 * are held back: their dispatch is used up, and when a run ends, the oldest of them is dispatched again.
 *
 * Race: two workers that count the same free slot. They lock the workspace one after another and count after the lock.
 * Repeating the call is harmless, as for `claimExecutions`.
 */
export async function claimLimited(
  db: Database,
  requests: readonly ClaimRequest[],
  workerId: string,
): Promise<LimitedClaim> {
  const candidates = await findCandidates(db, requests);
  // Usually a job that was delivered twice.
  if (candidates.length === 0) return { claimed: [], dispatched: [] };
  return db.$transaction(async (tx) => {
    await lockSlots(tx, workspacesOf(candidates));
    const { slots, heldBack } = await readDemand(tx, candidates, { isThorough: false });
    const { claim, holdBack, dispatch } = admit(candidates, heldBack, slots);
    await lockRuns(tx, [...claim, ...holdBack, ...dispatch]);
    const claimed = await claimAdmitted(tx, claim, workerId);
    await markHeldBack(tx, holdBack);
    return { claimed, dispatched: await dispatchHeldBack(tx, dispatch, slots) };
  });
}

function workspacesOf(candidates: readonly Candidate[]): string[] {
  return [...new Set(candidates.map(({ workspaceId }) => workspaceId))];
}

function findCandidates(db: Database, requests: readonly ClaimRequest[]): Promise<Candidate[]> {
  return db.$queryRaw<Candidate[]>(Prisma.sql`/* concurrency.find-candidates */
    SELECT e.id, e.workspace_id AS "workspaceId", e.workflow_id AS "workflowId", e.dispatch,
      e.worker_id IS NOT NULL AS "isHeld", w.token
    FROM ${wanted(requests)} JOIN executions e ON ${IS_CLAIMABLE}`);
}

async function claimAdmitted(
  tx: Queryable,
  runs: readonly Candidate[],
  workerId: string,
): Promise<readonly ClaimedExecution[]> {
  if (runs.length === 0) return [];
  const requests = runs.map(({ id, dispatch, token }) => ({ executionId: id, dispatch, token }));
  return tx.$queryRaw<ClaimedExecution[]>(Prisma.sql`/* executions.claim-limited */
    WITH w AS (
      SELECT e.id, w.token, ${STARTED_RUN} FROM executions e JOIN ${wanted(requests)} ON ${IS_CLAIMABLE}
      ${LOCK_RUNS}
    ), emitted AS (
      ${EMIT_STARTED}
    )
    UPDATE executions e
    SET ${CLAIM}, worker_id = ${workerId}::uuid, holds_slot = true
    FROM w WHERE e.id = w.id
    RETURNING ${CLAIMED}`);
}

async function markHeldBack(tx: Queryable, runs: readonly Candidate[]): Promise<void> {
  if (runs.length === 0) return;
  const requests = runs.map(({ id, dispatch, token }) => ({ executionId: id, dispatch, token }));
  await tx.$executeRaw(Prisma.sql`/* concurrency.hold-back */
    UPDATE executions e SET held_back_at = coalesce(e.held_back_at, now()), claimed_dispatch = e.dispatch
    FROM ${wanted(requests)}
    WHERE e.id = w.id AND e.dispatch = w.dispatch AND ${IS_UNCLAIMED}`);
}
