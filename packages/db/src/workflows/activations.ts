import type { ActivationEntry, ListActivationsQuery, PageOf, WorkflowStatus } from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { emitEvents, OF_NO_NODE } from '../events/emit.ts';
import { pageRange, toPage } from '../paging.ts';
import { personJson } from '../users.ts';
import { findWorkspaceOfWorkflow } from './lock.ts';

/** The active version of a workflow, and whether it is active. */
export interface Activation {
  readonly status: WorkflowStatus;
  /** Null if none was ever active. */
  readonly activeVersionId: string | null;
}

/**
 * Records in the audit log that a workflow's status or active version changed, in the transaction that changes it, and
 * emits an event if another version is active now.
 * These entries are the history of activations.
 */
export async function recordActivation(
  tx: Queryable,
  actor: Actor,
  { id, workspaceId, from, to }: { id: string; workspaceId: string; from: Activation; to: Activation },
): Promise<void> {
  if (from.status === to.status && from.activeVersionId === to.activeVersionId) return;
  await recordChange(tx, actor, {
    action: 'workflow.activation',
    workspaceId,
    resourceId: id,
    details: {
      status: to.status,
      previousStatus: from.status,
      activeVersionId: to.activeVersionId,
      previousActiveVersionId: from.activeVersionId,
    },
  });
  if (to.status !== 'active') return;
  await tx.$executeRaw(Prisma.sql`/* events.workflow-activated */
    ${emitEvents(Prisma.sql`SELECT ${workspaceId}::uuid AS workspace_id, ${id}::uuid AS workflow_id,
      NULL::uuid AS execution_id, ${OF_NO_NODE}, 'workflow.activated' AS type, NULL::int AS revision, NULL::text[] AS tags,
      NULL::text AS callback_url, 0 AS rank`)}`);
}

type Row = Omit<ActivationEntry, 'at'> & { readonly at: Date };

/**
 * Lists the changes of a workflow's status and active version, the latest first. Entries are written under the
 * workflow's lock, and their ids ascend. Served by the index `audit_log_activations`.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workflow.
 */
export async function listActivations(
  db: Database,
  actor: Actor,
  workflowId: string,
  query: ListActivationsQuery,
): Promise<PageOf<ActivationEntry>> {
  await findWorkspaceOfWorkflow(db, actor, workflowId);
  // The action is part of the statement: with a parameter, a prepared statement could not use the partial index.
  const isActivation = Prisma.sql`a.action = 'workflow.activation' AND a.resource_id = ${workflowId}`;
  const { take, skip } = pageRange(query);
  const rows = await db.$queryRaw<Row[]>(Prisma.sql`/* workflows.list-activations */
    SELECT a.id, a.at, a.details ->> 'status' AS status, a.details ->> 'previousStatus' AS "previousStatus",
      a.details ->> 'activeVersionId' AS "activeVersionId", v.number AS "activeVersionNumber",
      a.details ->> 'previousActiveVersionId' AS "previousActiveVersionId", p.number AS "previousActiveVersionNumber",
      a.user_id AS by, ${personJson(Prisma.sql`u`)} AS "byUser", a.api_key_id AS "apiKeyId", k.name AS "apiKeyName"
    FROM audit_log a
    LEFT JOIN workflow_versions v ON v.id = (a.details ->> 'activeVersionId')::uuid
    LEFT JOIN workflow_versions p ON p.id = (a.details ->> 'previousActiveVersionId')::uuid
    LEFT JOIN users u ON u.id = a.user_id
    LEFT JOIN api_keys k ON k.id = a.api_key_id
    WHERE ${isActivation} AND (${query.cursor ?? null}::uuid IS NULL OR a.id < ${query.cursor ?? null}::uuid)
    ORDER BY a.id DESC LIMIT ${take} OFFSET ${skip}`);
  return toPage(query, rows, toEntry, () => count(db, isActivation));
}

async function count(db: Database, isActivation: Prisma.Sql): Promise<number> {
  const [row] = await db.$queryRaw<{ total: number }[]>(
    Prisma.sql`SELECT count(*)::int AS total FROM audit_log a WHERE ${isActivation}`,
  );
  return row?.total ?? 0;
}

function toEntry({ id, at, ...row }: Row): ActivationEntry {
  return { id, at: at.toISOString(), ...row };
}
