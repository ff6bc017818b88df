import { v7 as uuidv7 } from 'uuid';
import {
  type ExecutionMode,
  roleMay,
  type Page,
  type PageOf,
  type Role,
  type WebhookDelivery,
} from '@deckhand/contracts';
import { type Actor, memberMay, needsPermission } from '../access.ts';
import type { Database } from '../client.ts';
import { pageRange, toPage } from '../paging.ts';
import { refuse, type RerunRefusal } from '../executions/start/read-for-rerun.ts';
import { findWorkspaceOfWorkflow } from '../workflows/lock.ts';

/** A request to a webhook, and its result. */
export interface DeliveryRecord {
  readonly workflowId: string;
  readonly nodeId: string;
  readonly at: Date;
  readonly isTest: boolean;
  readonly method: string;
  /** Null if the caller disconnected before the response. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly executionId: string | null;
  readonly errorCode: string | null;
}

/** Number of requests stored for each workflow. */
const DELIVERIES_KEPT = 500;

/** Writes many requests in one statement, except those of deleted workflows. */
export async function insertDeliveries(db: Database, records: readonly DeliveryRecord[]): Promise<void> {
  await db.$executeRaw`/* webhooks.insert-deliveries */
    INSERT INTO webhook_deliveries (id, workflow_id, node_id, at, is_test, method, status, duration_ms, execution_id, error_code)
    SELECT d.* FROM unnest(
      ${records.map(() => uuidv7())}::uuid[],
      ${records.map(({ workflowId }) => workflowId)}::uuid[],
      ${records.map(({ nodeId }) => nodeId)}::text[],
      ${records.map(({ at }) => at)}::timestamptz[],
      ${records.map(({ isTest }) => isTest)}::boolean[],
      ${records.map(({ method }) => method)}::text[],
      ${records.map(({ status }) => status)}::int[],
      ${records.map(({ durationMs }) => durationMs)}::int[],
      ${records.map(({ executionId }) => executionId)}::uuid[],
      ${records.map(({ errorCode }) => errorCode)}::text[]
    ) AS d (id, workflow_id, node_id, at, is_test, method, status, duration_ms, execution_id, error_code)
    JOIN workflows w ON w.id = d.workflow_id`;
}

/**
 * Deletes all but the latest requests of these workflows. Skips rows that another call is deleting. Served by the index
 * on workflow and id.
 */
export async function pruneDeliveries(db: Database, workflowIds: readonly string[]): Promise<void> {
  await db.$executeRaw`/* webhooks.prune-deliveries */
    DELETE FROM webhook_deliveries WHERE id IN (
      SELECT d.id FROM unnest(${[...workflowIds]}::uuid[]) AS pruned (workflow_id)
      CROSS JOIN LATERAL (
        SELECT id FROM webhook_deliveries k WHERE k.workflow_id = pruned.workflow_id
        ORDER BY id DESC OFFSET ${DELIVERIES_KEPT} LIMIT 1
      ) AS oldest
      JOIN webhook_deliveries d ON d.workflow_id = pruned.workflow_id AND d.id <= oldest.id
      FOR UPDATE OF d SKIP LOCKED)`;
}

/**
 * Lists the requests to a workflow's webhooks, the newest first. @throws DeckhandError NOT_FOUND when the actor may not
 * see it.
 */
export async function listDeliveries(
  db: Database,
  actor: Actor,
  workflowId: string,
  page: Page,
): Promise<PageOf<WebhookDelivery>> {
  await findWorkspaceOfWorkflow(db, actor, workflowId);
  const where = { workflowId };
  const rows = await db.webhookDelivery.findMany({ where, orderBy: { id: 'desc' }, ...pageRange(page) });
  const toEntry = ({ workflowId: _, at, ...row }: (typeof rows)[number]): WebhookDelivery => ({
    ...row,
    at: at.toISOString(),
  });
  return toPage(page, rows, toEntry, () => db.webhookDelivery.count({ where }));
}

/** The data with which a request to a webhook started its run. */
export interface ReplayedDelivery {
  readonly kind: 'delivery';
  readonly executionId: string;
  readonly nodeId: string;
  readonly mode: ExecutionMode;
  /** Serialized JSON. */
  readonly triggerData: string;
}

type Row = { readonly role: Role } & {
  readonly [member in Exclude<keyof ReplayedDelivery, 'kind'>]: ReplayedDelivery[member] | null;
};

/**
 * Reads what is needed to start another run for a request to a webhook. The payload of a request is that of its run, so
 * it is kept as long as the data of that run.
 * @returns the data, or why there is none: NOT_FOUND if the actor may not see it; FORBIDDEN without the permission;
 * TRIGGER_DATA_GONE if the request started no run, or the data of the run was deleted.
 */
export async function readForReplay(
  db: Database,
  actor: Actor,
  { workflowId, deliveryId }: { readonly workflowId: string; readonly deliveryId: string },
): Promise<ReplayedDelivery | RerunRefusal> {
  const [row] = await db.$queryRaw<Row[]>`
    SELECT m.role::text, d.execution_id AS "executionId", d.node_id AS "nodeId", e.execution_mode::text AS mode,
      e.trigger_data AS "triggerData"
    FROM workflows w
    JOIN memberships m ON m.workspace_id = w.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('workflows.read')}
    LEFT JOIN webhook_deliveries d ON d.workflow_id = w.id AND d.id = ${deliveryId}::uuid
    LEFT JOIN executions e ON e.id = d.execution_id
    WHERE w.id = ${workflowId}::uuid AND (${actor.boundTo}::uuid IS NULL OR w.workspace_id = ${actor.boundTo}::uuid)`;
  if (!row) return refuse('NOT_FOUND', 'No such workflow');
  const { role, executionId, nodeId, mode, triggerData } = row;
  if (!roleMay(role, 'runs.start')) return refuse('FORBIDDEN', needsPermission('runs.start'));
  if (nodeId === null) return refuse('NOT_FOUND', 'The workflow has no such delivery');
  if (executionId === null || mode === null || triggerData === null) {
    const message = 'The request started no run, or the data of its run was deleted: its payload is not available';
    return refuse('TRIGGER_DATA_GONE', message);
  }
  return { kind: 'delivery', executionId, nodeId, mode, triggerData };
}
