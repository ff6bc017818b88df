import { type Callback, DeckhandError } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type Actor, memberMay, visibleWorkspace } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { lockExecution } from '../executions/lock.ts';
import { findWorkspace } from '../workspaces/workspaces.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, REPLAY, toDelivery } from './deliveries.ts';
import { CALLBACK_LANES } from './emit.ts';
import { CURRENT_FIRST, IS_VALID, replaceSecret, type SealedEventSecret } from './endpoints.ts';

/*
 * Callbacks of runs are events that are sent to a URL of the run instead of one of an endpoint. A workspace sends them
 * by a few lanes: rows of event_endpoints that nobody sees, each with the same secret. So callbacks have the leases,
 * retries and limits of events, and a receiver that fails slows the other callbacks of its lane only.
 */

/** A type that no event has: processes of earlier versions, which know no lanes, send nothing by them. */
const NO_EVENT = 'callback';

/** Returns the workspace of a workflow that the actor may start; undefined without one. */
export async function findWorkspaceToStart(
  db: Database,
  actor: Actor,
  workflowId: string,
): Promise<string | undefined> {
  const where = { id: workflowId, workspace: visibleWorkspace(actor, 'runs.start') };
  return (await db.workflow.findFirst({ where, select: { workspaceId: true } }))?.workspaceId;
}

/** Adds the lanes of a workspace with a secret, unless it has them. @param sealedSecret a JWE, for all lanes. */
export async function addCallbackLanes(db: Database, workspaceId: string, sealedSecret: string): Promise<void> {
  await db.$transaction((tx) => addLanes(tx, workspaceId, sealedSecret));
}

/**
 * Race: two processes that add lanes with different secrets, or rotate one. The workspace's row is locked first.
 * @returns when the secret was created; undefined if there are lanes already.
 */
async function addLanes(tx: Queryable, workspaceId: string, secret: string): Promise<Date | undefined> {
  await tx.$queryRaw`SELECT id FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`;
  if ((await tx.eventEndpoint.count({ where: { workspaceId, callbackLane: { not: null } } })) > 0) return undefined;
  let createdAt: Date | undefined;
  for (let callbackLane = 0; callbackLane < CALLBACK_LANES; callbackLane += 1) {
    const endpointId = uuidv7();
    const lane = { id: endpointId, workspaceId, url: '', eventTypes: [NO_EVENT], callbackLane };
    await tx.eventEndpoint.create({ data: lane });
    ({ createdAt } = await tx.eventSecret.create({ data: { id: uuidv7(), endpointId, secret } }));
  }
  return createdAt;
}

/**
 * Reads the secrets with which callbacks of a workspace are signed, the current one first, and records that in the
 * audit log. @returns none before the first callback, or rotation.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workspace; FORBIDDEN without the permission.
 */
export function readCallbackSecrets(db: Database, actor: Actor, workspaceId: string): Promise<SealedEventSecret[]> {
  return db.$transaction(async (tx) => {
    await findWorkspace(tx, actor, workspaceId, 'events.manage');
    await recordChange(tx, actor, { action: 'callback-secret.read', workspaceId, resourceId: workspaceId });
    return tx.$queryRaw<SealedEventSecret[]>(Prisma.sql`
      SELECT secret, created_at AS "createdAt", expires_at AS "expiresAt" FROM event_secrets
      WHERE endpoint_id = (
        SELECT p.id FROM event_endpoints p WHERE p.workspace_id = ${workspaceId}::uuid AND p.callback_lane = 0
      ) AND ${IS_VALID}
      ORDER BY ${CURRENT_FIRST}`);
  });
}

/**
 * Gives the callbacks of a workspace another secret. The former ones stay valid for `overlapSeconds`.
 * @returns when it was created.
 * @throws DeckhandError NOT_FOUND when the actor may not see the workspace; FORBIDDEN without the permission.
 */
export function rotateCallbackSecret(
  db: Database,
  actor: Actor,
  workspaceId: string,
  rotation: { readonly sealedSecret: string; readonly overlapSeconds: number },
): Promise<Date> {
  return db.$transaction(async (tx) => {
    await findWorkspace(tx, actor, workspaceId, 'events.manage');
    let createdAt = await addLanes(tx, workspaceId, rotation.sealedSecret);
    if (!createdAt) {
      const lanes = await tx.eventEndpoint.findMany({
        where: { workspaceId, callbackLane: { not: null } },
        orderBy: { id: 'asc' },
        select: { id: true },
      });
      for (const { id } of lanes) createdAt = await replaceSecret(tx, id, rotation);
    }
    await recordChange(tx, actor, {
      action: 'callback-secret.rotate',
      workspaceId,
      resourceId: workspaceId,
      details: { overlapSeconds: rotation.overlapSeconds },
    });
    return createdAt ?? new Date();
  });
}

/** Maximum number of callbacks of a run that are listed. A run ends once. */
const MAX_LISTED = 100;

/**
 * Lists the callbacks of a run with their attempts, the earliest first. @throws DeckhandError NOT_FOUND when the actor
 * may not see the run.
 */
export async function listCallbacks(db: Database, actor: Actor, executionId: string): Promise<Callback[]> {
  const [run] = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT e.id FROM executions e
    JOIN memberships m ON m.workspace_id = e.workspace_id AND m.user_id = ${actor.userId}::uuid AND ${memberMay('runs.read')}
    WHERE e.id = ${executionId}::uuid AND (${actor.boundTo}::uuid IS NULL OR e.workspace_id = ${actor.boundTo}::uuid)`);
  if (!run) throw new DeckhandError('NOT_FOUND', { message: 'There is no such run' });
  // Served by event_deliveries_callbacks.
  const rows = await db.$queryRaw<DeliveryRow[]>(Prisma.sql`/* callbacks.list */
    SELECT ${DELIVERY_COLUMNS} FROM event_deliveries d
    WHERE d.execution_id = ${executionId}::uuid AND d.url IS NOT NULL ORDER BY d.seq LIMIT ${MAX_LISTED}`);
  return rows.map(toCallback);
}

/**
 * Sends the callback of a run again, with the same id.
 *
 * Race: the URL is deleted with the data of the run. That, too, locks the run first, so the callback is read after it.
 * @throws DeckhandError NOT_FOUND when the actor may not see the run, or it has no such callback, or no more; FORBIDDEN
 * without the permission; INVALID_STATE while it is pending.
 */
export function replayCallback(
  db: Database,
  actor: Actor,
  { executionId, deliveryId }: { readonly executionId: string; readonly deliveryId: string },
): Promise<Callback> {
  return db.$transaction(async (tx) => {
    const { workspaceId } = await lockExecution(tx, actor, executionId, 'runs.control');
    const isIt = Prisma.sql`d.id = ${deliveryId}::uuid AND d.execution_id = ${executionId}::uuid AND d.url IS NOT NULL`;
    const [row] = await tx.$queryRaw<DeliveryRow[]>(Prisma.sql`/* callbacks.replay */
      UPDATE event_deliveries d SET ${REPLAY}
      WHERE ${isIt} AND d.status <> 'pending' RETURNING ${DELIVERY_COLUMNS}`);
    if (!row) {
      const [pending] = await tx.$queryRaw<unknown[]>(Prisma.sql`SELECT 1 FROM event_deliveries d WHERE ${isIt}`);
      throw pending
        ? new DeckhandError('INVALID_STATE', { message: 'The callback is being delivered' })
        : new DeckhandError('NOT_FOUND', { message: 'The run has no such callback' });
    }
    const details = { deliveryId };
    await recordChange(tx, actor, {
      action: 'execution.replayCallback',
      workspaceId,
      resourceId: executionId,
      details,
    });
    return toCallback(row);
  });
}

function toCallback(row: DeliveryRow): Callback {
  const { endpointId: _lane, workflowId: _workflow, executionId: _run, nodeId: _node, ...callback } = toDelivery(row);
  return callback;
}
