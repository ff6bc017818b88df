import { lockNames } from '../advisory-locks.ts';
import { Prisma, type Queryable } from '../client.ts';
import type { FreeSlots, HeldBack } from './admit.ts';
import { IS_RESTING } from '../executions/run-status.ts';

/** A workflow to check, together with the limit of its workspace. */
export interface Subject {
  readonly workspaceId: string;
  readonly workflowId: string;
}

/** The runs that wait for slots in some workspaces, and the free slots. */
export interface Demand {
  readonly slots: FreeSlots;
  /** The oldest of each workflow, at most as many as its free slots. */
  readonly heldBack: readonly HeldBack[];
}

/** Maximum number of held back runs of one workflow that one statement dispatches. */
const MAX_DISPATCHED = 1_000;

/** Condition: the run `e` is held back. It has the wording of the index executions_held_back. */
export const IS_HELD_BACK = Prisma.sql`e.held_back_at IS NOT NULL AND ${IS_RESTING}`;

/**
 * Locks the slots of workspaces until the transaction ends. Read the free slots in a later statement: the snapshot of
 * this one can be older than the lock.
 */
export async function lockSlots(tx: Queryable, workspaceIds: readonly string[]): Promise<void> {
  await lockNames(
    tx,
    workspaceIds.map((id) => `slots of ${id}`),
  );
}

/**
 * Reads the free slots of the subjects and the runs that wait for them. The caller has locked the workspaces. If a
 * workspace has a limit of its own, all its workflows are read, since they share the limit; with `isThorough`, the
 * workflows of every workspace are.
 */
export async function readDemand(
  tx: Queryable,
  subjects: readonly Subject[],
  { isThorough }: { isThorough: boolean },
): Promise<Demand> {
  const workspaceIds = subjects.map(({ workspaceId }) => workspaceId);
  const workflowIds = subjects.map(({ workflowId }) => workflowId);
  const rows = await tx.$queryRaw<
    {
      workspaceId: string;
      workflowId: string;
      ofWorkspace: number | null;
      ofWorkflow: number | null;
      id: string | null;
      isDispatched: boolean | null;
    }[]
    // Served by executions_slots and executions_held_back, by a skip scan over workflows.
  >(Prisma.sql`/* concurrency.read-demand */
    WITH RECURSIVE held AS (
      SELECT e.workspace_id, e.workflow_id, count(*)::int AS runs FROM executions e
      WHERE e.holds_slot AND e.worker_id IS NOT NULL AND e.workspace_id = ANY(${workspaceIds}::uuid[])
      GROUP BY e.workspace_id, e.workflow_id
    ), spaces AS (
      SELECT s.id, s.max_concurrent_executions
        - coalesce((SELECT sum(held.runs)::int FROM held WHERE held.workspace_id = s.id), 0) AS free
      FROM workspaces s WHERE s.id = ANY(${workspaceIds}::uuid[])
    ), heading AS (
      SELECT s.id AS workspace_id, next.workflow_id
      FROM spaces s CROSS JOIN LATERAL (
        SELECT e.workflow_id FROM executions e WHERE ${IS_HELD_BACK} AND e.workspace_id = s.id
        ORDER BY e.workflow_id LIMIT 1
      ) next
      WHERE (${isThorough} OR s.free IS NOT NULL) AND coalesce(s.free > 0, true)
      UNION ALL
      SELECT h.workspace_id, next.workflow_id
      FROM heading h CROSS JOIN LATERAL (
        SELECT e.workflow_id FROM executions e
        WHERE ${IS_HELD_BACK} AND e.workspace_id = h.workspace_id AND e.workflow_id > h.workflow_id
        ORDER BY e.workflow_id LIMIT 1
      ) next
    ), subjects AS (
      SELECT workspace_id, workflow_id FROM heading
      UNION
      SELECT * FROM unnest(${workspaceIds}::uuid[], ${workflowIds}::uuid[])
    ), bounds AS (
      SELECT u.workspace_id, u.workflow_id, s.free AS of_workspace,
        f.max_concurrent_executions - coalesce(held.runs, 0) AS of_workflow
      FROM subjects u
      JOIN spaces s ON s.id = u.workspace_id
      LEFT JOIN workflows f ON f.id = u.workflow_id
      LEFT JOIN held ON held.workspace_id = u.workspace_id AND held.workflow_id = u.workflow_id
    )
    SELECT b.workspace_id AS "workspaceId", b.workflow_id AS "workflowId", b.of_workspace AS "ofWorkspace",
      b.of_workflow AS "ofWorkflow", run.id, run.is_dispatched AS "isDispatched"
    FROM bounds b LEFT JOIN LATERAL (
      SELECT e.id, e.claimed_dispatch < e.dispatch AS is_dispatched FROM executions e
      WHERE ${IS_HELD_BACK} AND e.workspace_id = b.workspace_id AND e.workflow_id = b.workflow_id
        AND (e.claimed_dispatch = e.dispatch OR b.of_workspace IS NOT NULL OR b.of_workflow IS NOT NULL)
      ORDER BY e.id LIMIT greatest(0, least(b.of_workspace, b.of_workflow, ${MAX_DISPATCHED}))
    ) run ON true`);
  const slots = new Map<string, number | null>();
  for (const row of rows) slots.set(row.workspaceId, row.ofWorkspace).set(row.workflowId, row.ofWorkflow);
  const heldBack = rows.flatMap(({ workspaceId, workflowId, id, isDispatched }) =>
    id === null ? [] : [{ id, workspaceId, workflowId, isDispatched: isDispatched === true }],
  );
  return { slots, heldBack };
}
