import { v7 as uuidv7 } from 'uuid';
import {
  type CreateEventEndpointBody,
  DeckhandError,
  type EventEndpoint,
  type InWorkspaceQuery,
  MAX_EVENT_ENDPOINTS,
  type PageOf,
  type UpdateEventEndpointBody,
  validationFailed,
} from '@deckhand/contracts';
import {
  type Actor,
  type AllowedStates,
  changedMeanwhile,
  inState,
  requirePermission,
  visibleWorkspace,
} from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import type { EventEndpoint as EndpointRow } from '../generated/client.ts';
import { pageRange, toPage } from '../paging.ts';

/** Maximum number of secrets of an endpoint that are valid at the same time. A rotation ends the oldest ones. */
const MAX_SECRETS = 3;

/** An endpoint to create, with its secret, encrypted already. */
export interface NewEventEndpoint extends Omit<CreateEventEndpointBody, 'signature'> {
  readonly sealedSecret: string;
}

/** An encrypted secret of an endpoint. */
export interface SealedEventSecret {
  /** A JWE. */
  readonly secret: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/**
 * Lists the endpoints of a workspace, the earliest first.
 * @throws DeckhandError FORBIDDEN without the permission; WORKSPACE_MISMATCH.
 */
export async function listEventEndpoints(
  db: Database,
  actor: Actor,
  query: InWorkspaceQuery,
): Promise<PageOf<EventEndpoint>> {
  await requirePermission(db, actor, query.workspaceId, 'events.manage');
  const where = { workspaceId: query.workspaceId, callbackLane: null };
  const rows = await db.eventEndpoint.findMany({ where, orderBy: { id: 'asc' }, ...pageRange(query) });
  return toPage(query, rows, toEndpoint, () => db.eventEndpoint.count({ where }));
}

/**
 * Reads an endpoint. @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export async function readEventEndpoint(db: Queryable, actor: Actor, id: string): Promise<EventEndpoint> {
  const row = await db.eventEndpoint.findFirst({
    where: { id, callbackLane: null, workspace: visibleWorkspace(actor, 'workflows.read') },
  });
  if (!row) throw noSuchEndpoint();
  await requirePermission(db, actor, row.workspaceId, 'events.manage');
  return toEndpoint(row);
}

/**
 * Creates an endpoint.
 *
 * Race: two that create the last one that is allowed. The workspace's row is locked first.
 * @throws DeckhandError FORBIDDEN without the permission; VALIDATION_FAILED for a workflow of another workspace;
 * INVALID_STATE when the workspace has as many as it may.
 */
export function createEventEndpoint(
  db: Database,
  actor: Actor,
  { workspaceId, url, description = '', sealedSecret, ...filters }: NewEventEndpoint,
): Promise<EventEndpoint> {
  return db.$transaction(async (tx) => {
    await requirePermission(tx, actor, workspaceId, 'events.manage');
    await tx.$queryRaw`SELECT id FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE`;
    if ((await tx.eventEndpoint.count({ where: { workspaceId, callbackLane: null } })) >= MAX_EVENT_ENDPOINTS) {
      throw new DeckhandError('INVALID_STATE', { message: `A workspace has at most ${MAX_EVENT_ENDPOINTS} endpoints` });
    }
    const columns = await toFilterColumns(tx, workspaceId, filters);
    const row = await tx.eventEndpoint.create({ data: { id: uuidv7(), workspaceId, url, description, ...columns } });
    await tx.eventSecret.create({ data: { id: uuidv7(), endpointId: row.id, secret: sealedSecret } });
    await record(tx, actor, row, 'event-endpoint.create');
    return toEndpoint(row);
  });
}

/**
 * Changes an endpoint. Enabling it also forgets its failures; disabling it fails what is pending, by maintenance.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission; VALIDATION_FAILED
 * for a workflow of another workspace; PRECONDITION_FAILED when it is in none of `states`.
 */
export function updateEventEndpoint(
  db: Database,
  actor: Actor,
  id: string,
  { enabled, eventTypes, workflowIds, tags, ...changes }: UpdateEventEndpointBody,
  states?: AllowedStates,
): Promise<EventEndpoint> {
  return db.$transaction(async (tx) => {
    const current = await readEventEndpoint(tx, actor, id);
    const data = {
      ...changes,
      ...(await toFilterColumns(tx, current.workspaceId, { eventTypes, workflowIds, tags })),
      ...(enabled === undefined || enabled === current.enabled ? {} : toEnabledColumns(enabled)),
    };
    const where = { id, workspace: visibleWorkspace(actor, 'events.manage'), ...inState(states) };
    const [row] = await tx.eventEndpoint.updateManyAndReturn({ where, data });
    if (!row) throw changedMeanwhile(states, noSuchEndpoint());
    await record(tx, actor, row, 'event-endpoint.update', { changed: Object.keys(data) });
    return toEndpoint(row);
  });
}

function toEnabledColumns(enabled: boolean) {
  return enabled
    ? { disabledAt: null, disabledReason: null, failureCount: 0, failingSince: null, throttledUntil: null }
    : { disabledAt: new Date(), disabledReason: 'person' as const };
}

/**
 * Deletes an endpoint with its secrets. Maintenance deletes its deliveries.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export function deleteEventEndpoint(db: Database, actor: Actor, id: string): Promise<void> {
  return db.$transaction(async (tx) => {
    const endpoint = await readEventEndpoint(tx, actor, id);
    const { count } = await tx.eventEndpoint.deleteMany({
      where: { id, workspace: visibleWorkspace(actor, 'events.manage') },
    });
    if (count === 0) throw noSuchEndpoint();
    await record(tx, actor, endpoint, 'event-endpoint.delete');
  });
}

/**
 * Reads the valid secrets of an endpoint, the current one first, and records that in the audit log.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export function readEventSecrets(db: Database, actor: Actor, id: string): Promise<SealedEventSecret[]> {
  return db.$transaction(async (tx) => {
    const endpoint = await readEventEndpoint(tx, actor, id);
    await record(tx, actor, endpoint, 'event-endpoint.read-secrets');
    return tx.$queryRaw<SealedEventSecret[]>(Prisma.sql`
      SELECT secret, created_at AS "createdAt", expires_at AS "expiresAt" FROM event_secrets
      WHERE endpoint_id = ${id}::uuid AND ${IS_VALID} ORDER BY ${CURRENT_FIRST}`);
  });
}

/** Whether a secret is valid. */
export const IS_VALID = Prisma.sql`(expires_at IS NULL OR expires_at > now())`;
/** The order of secrets. */
export const CURRENT_FIRST = Prisma.sql`expires_at DESC NULLS FIRST, id DESC`;

/**
 * Gives an endpoint another secret. The former ones stay valid for `overlapSeconds`, or until they end anyway, and at
 * most as many as `MAX_SECRETS`. @returns when it was created.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export function rotateEventSecret(
  db: Database,
  actor: Actor,
  id: string,
  { sealedSecret, overlapSeconds }: { readonly sealedSecret: string; readonly overlapSeconds: number },
): Promise<Date> {
  return db.$transaction(async (tx) => {
    const endpoint = await readEventEndpoint(tx, actor, id);
    // Rotations of an endpoint wait for each other here, so that one secret is the current one.
    await tx.$queryRaw`SELECT id FROM event_endpoints WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
    const createdAt = await replaceSecret(tx, id, { sealedSecret, overlapSeconds });
    await record(tx, actor, endpoint, 'event-endpoint.rotate-secret', { overlapSeconds });
    return createdAt;
  });
}

/**
 * Adds a secret to an endpoint whose rotations the caller has excluded by a lock, and limits the former ones.
 * @returns when it was created.
 */
export async function replaceSecret(
  tx: Queryable,
  id: string,
  { sealedSecret, overlapSeconds }: { readonly sealedSecret: string; readonly overlapSeconds: number },
): Promise<Date> {
  await tx.$executeRaw(Prisma.sql`
    UPDATE event_secrets
    SET expires_at = least(expires_at, now() + ${overlapSeconds}::int * interval '1 second')
    WHERE endpoint_id = ${id}::uuid`);
  await tx.$executeRaw(Prisma.sql`
    DELETE FROM event_secrets WHERE endpoint_id = ${id}::uuid AND id NOT IN (
      SELECT id FROM event_secrets WHERE endpoint_id = ${id}::uuid AND ${IS_VALID}
      ORDER BY created_at DESC, id DESC LIMIT ${MAX_SECRETS - 1})`);
  const { createdAt } = await tx.eventSecret.create({
    data: { id: uuidv7(), endpointId: id, secret: sealedSecret },
    select: { createdAt: true },
  });
  return createdAt;
}

/** Records a change with the host of the endpoint only: its path may be secret. */
function record(
  tx: Queryable,
  actor: Actor,
  { id, workspaceId, url }: Pick<EndpointRow, 'id' | 'workspaceId' | 'url'>,
  action: `event-endpoint.${string}`,
  details: Readonly<Record<string, string[] | number>> = {},
): Promise<void> {
  const host = URL.canParse(url) ? new URL(url).host : '';
  return recordChange(tx, actor, { action, workspaceId, resourceId: id, details: { host, ...details } });
}

/** Returns the error for an endpoint that does not exist or is not visible. */
function noSuchEndpoint(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'No such event endpoint' });
}

/**
 * Returns the columns of filters. Members that are left out keep their values.
 * @throws DeckhandError VALIDATION_FAILED for a workflow that is not in the workspace.
 */
async function toFilterColumns(
  tx: Queryable,
  workspaceId: string,
  { eventTypes, workflowIds, tags }: Pick<UpdateEventEndpointBody, 'eventTypes' | 'workflowIds' | 'tags'>,
) {
  const ids = workflowIds?.map((id) => id.toLowerCase());
  if (ids !== undefined) {
    const found = await tx.workflow.findMany({ where: { id: { in: ids }, workspaceId }, select: { id: true } });
    const known = new Set(found.map(({ id }) => id));
    const issues = ids.flatMap((id, index) =>
      known.has(id) ? [] : [{ path: `workflowIds[${index}]`, message: 'is not a workflow of this workspace' }],
    );
    if (issues.length > 0) throw validationFailed(issues);
  }
  return {
    ...(eventTypes === undefined ? {} : { eventTypes: [...(eventTypes ?? [])] }),
    ...(workflowIds === undefined ? {} : { workflowIds: ids ?? [] }),
    ...(tags === undefined ? {} : { tags: [...(tags ?? [])] }),
  };
}

function toEndpoint(row: EndpointRow): EventEndpoint {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    url: row.url,
    description: row.description,
    eventTypes: row.eventTypes.length === 0 ? null : row.eventTypes,
    workflowIds: row.workflowIds.length === 0 ? null : row.workflowIds,
    tags: row.tags.length === 0 ? null : row.tags,
    enabled: row.disabledAt === null,
    disabledAt: row.disabledAt?.toISOString() ?? null,
    disabledReason: row.disabledReason,
    failingSince: row.failingSince?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
