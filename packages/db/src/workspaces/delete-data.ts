import { type Database, Prisma } from '../client.ts';
import { deletionOfTaken } from '../retention.ts';
import { LOCK_FREE_RUNS } from '../lock-order.ts';
import { type FoundRun, isNotExcluded, type RowPage } from '../maintenance/find-runs.ts';

/** How long a deleted workspace is remembered, because of rows that were being written while it was deleted. */
const REMEMBERED = Prisma.sql`interval '1 hour'`;

/** A run that was deleted. */
export interface DeletedRun {
  readonly executionId: string;
  /** The worker that held it; null if none did. */
  readonly workerId: string | null;
}

/** Finds runs of deleted workspaces. */
export function findRunsOfDeletedWorkspaces(db: Database, page: RowPage): Promise<FoundRun[]> {
  // Served by the index on workspace, creation and id.
  return db.$queryRaw<FoundRun[]>(Prisma.sql`/* workspaces.find-runs */
    SELECT r.id, r.bytes FROM deleted_workspaces d CROSS JOIN LATERAL (
      SELECT e.id, e.stored_bytes::float8 AS bytes FROM executions e
      WHERE e.workspace_id = d.workspace_id AND ${isNotExcluded(Prisma.sql`e.id`, page.except)}
      ORDER BY e.created_at DESC, e.id DESC LIMIT ${page.limit}
    ) r LIMIT ${page.limit}`);
}

/**
 * Deletes those of the given runs whose workspace is deleted, with all their data. A worker that still holds one can no
 * longer write anything. Runs that another transaction has locked are left for the next pass.
 *
 * Race: a checkpoint that is committed after the first statement took its snapshot and before it locks the run. Rows
 * that it wrote are not in that snapshot; the second statement, which takes its own once the runs are locked, sees
 * them.
 */
export function deleteRunsOfDeletedWorkspaces(db: Database, executionIds: readonly string[]): Promise<DeletedRun[]> {
  return db.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<DeletedRun[]>(Prisma.sql`/* workspaces.lock-runs */
      SELECT e.id AS "executionId", e.worker_id AS "workerId" FROM executions e
      WHERE e.id = ANY(${[...executionIds]}::uuid[])
        AND EXISTS (SELECT 1 FROM deleted_workspaces d WHERE d.workspace_id = e.workspace_id)
      ${LOCK_FREE_RUNS}`);
    const ids = locked.map(({ executionId }) => executionId);
    if (ids.length === 0) return [];
    await tx.$executeRaw(Prisma.sql`/* workspaces.delete-runs */
      WITH taken AS (SELECT unnest(${ids}::uuid[]) AS id), ${deletionOfTaken} SELECT`);
    return locked;
  });
}

/**
 * Deletes the remaining rows of deleted workspaces, up to a number of each kind, and forgets workspaces that have had
 * none left for an hour.
 */
export async function deleteRestOfWorkspaces(db: Database, limit: number): Promise<void> {
  if ((await db.deletedWorkspace.findFirst({ select: { workspaceId: true } })) === null) return;
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-deliveries */
    DELETE FROM webhook_deliveries WHERE id IN (
      SELECT r.id FROM deleted_workspaces d CROSS JOIN unnest(d.workflow_ids) AS f (id)
        JOIN webhook_deliveries r ON r.workflow_id = f.id
      LIMIT ${limit} FOR UPDATE OF r SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-idempotency-keys */
    DELETE FROM idempotency_keys WHERE (workflow_id, key) IN (
      SELECT k.workflow_id, k.key FROM deleted_workspaces d CROSS JOIN unnest(d.workflow_ids) AS f (id)
        JOIN idempotency_keys k ON k.workflow_id = f.id
      LIMIT ${limit} FOR UPDATE OF k SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-debounces */
    DELETE FROM debounces WHERE (workflow_id, key) IN (
      SELECT b.workflow_id, b.key FROM deleted_workspaces d CROSS JOIN unnest(d.workflow_ids) AS f (id)
        JOIN debounces b ON b.workflow_id = f.id
      LIMIT ${limit} FOR UPDATE OF b SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-texts */
    DELETE FROM execution_texts WHERE execution_id IN (
      SELECT x.execution_id FROM deleted_workspaces d JOIN execution_texts x ON x.workspace_id = d.workspace_id
      LIMIT ${limit} FOR UPDATE OF x SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-failure-groups */
    DELETE FROM failure_groups WHERE id IN (
      SELECT g.id FROM deleted_workspaces d JOIN failure_groups g ON g.workspace_id = d.workspace_id
      LIMIT ${limit} FOR UPDATE OF g SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-events */
    DELETE FROM events WHERE id IN (
      SELECT v.id FROM deleted_workspaces d JOIN events v ON v.workspace_id = d.workspace_id
      LIMIT ${limit} FOR UPDATE OF v SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-model-calls */
    DELETE FROM model_calls WHERE id IN (
      SELECT m.id FROM deleted_workspaces d JOIN model_calls m ON m.workspace_id = d.workspace_id
      LIMIT ${limit} FOR UPDATE OF m SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-model-months */
    DELETE FROM model_months m USING deleted_workspaces d WHERE m.workspace_id = d.workspace_id`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-memories */
    DELETE FROM agent_memories WHERE (workspace_id, key) IN (
      SELECT m.workspace_id, m.key FROM deleted_workspaces d JOIN agent_memories m ON m.workspace_id = d.workspace_id
      LIMIT ${limit} FOR UPDATE OF m SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.delete-run-days */
    DELETE FROM run_days WHERE (workspace_id, day, workflow_id) IN (
      SELECT r.workspace_id, r.day, r.workflow_id FROM deleted_workspaces d JOIN run_days r ON r.workspace_id = d.workspace_id
      LIMIT ${limit} FOR UPDATE OF r SKIP LOCKED)`);
  await db.$executeRaw(Prisma.sql`/* workspaces.expire-files */
    UPDATE files f SET expires_at = now() FROM (
      SELECT x.id FROM deleted_workspaces d JOIN files x ON x.workspace_id = d.workspace_id
      WHERE x.expires_at > now() ORDER BY x.id LIMIT ${limit} FOR NO KEY UPDATE OF x SKIP LOCKED
    ) u WHERE f.id = u.id`);
  await db.$executeRaw(Prisma.sql`/* workspaces.forget-deleted */
    DELETE FROM deleted_workspaces d
    WHERE d.deleted_at < now() - ${REMEMBERED}
      AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM execution_texts x WHERE x.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM failure_groups g WHERE g.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM events v WHERE v.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM files f WHERE f.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM model_calls m WHERE m.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM model_months m WHERE m.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM agent_memories m WHERE m.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM run_days r WHERE r.workspace_id = d.workspace_id)
      AND NOT EXISTS (SELECT 1 FROM webhook_deliveries r WHERE r.workflow_id = ANY (d.workflow_ids))
      AND NOT EXISTS (SELECT 1 FROM debounces b WHERE b.workflow_id = ANY (d.workflow_ids))
      AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.workflow_id = ANY (d.workflow_ids))`);
}
