import {
  DeckhandError,
  type EventAttempt,
  type EventDelivery,
  type ListEventDeliveriesQuery,
  type PageOf,
  type ReplayEventsBody,
  type ReplayEventsResponse,
  TEST_EVENT_TYPE,
  toDate,
} from '@deckhand/contracts';
import type { Actor } from '../access.ts';
import { recordChange } from '../audit/record.ts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { pageRange, toPage } from '../paging.ts';
import { readEventEndpoint } from './endpoints.ts';

/** Maximum number of deliveries that one request replays. */
const MAX_REPLAYED = 5_000;

/** A delivery as a row, with the columns of `DELIVERY_COLUMNS`. */
export interface DeliveryRow extends Omit<
  EventDelivery,
  'webhookId' | 'occurredAt' | 'nextAttemptAt' | 'finishedAt' | 'attempts'
> {
  readonly occurredAt: Date;
  readonly nextAttemptAt: Date;
  readonly finishedAt: Date | null;
  readonly attempts: EventAttempt[];
}

export const DELIVERY_COLUMNS = Prisma.sql`d.id, d.endpoint_id AS "endpointId", d.type, d.workflow_id AS "workflowId",
  d.execution_id AS "executionId", d.node_id AS "nodeId", d.occurred_at AS "occurredAt", d.status::text,
  d.attempt_count::int AS "attemptCount", d.next_attempt_at AS "nextAttemptAt", d.finished_at AS "finishedAt",
  d.attempts`;

/** Returns the header `webhook-id` of a delivery. */
export function webhookIdOf(deliveryId: string): string {
  return `msg_${deliveryId}`;
}

/**
 * Lists the events of an endpoint, the latest first.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission.
 */
export async function listEventDeliveries(
  db: Database,
  actor: Actor,
  endpointId: string,
  query: ListEventDeliveriesQuery,
): Promise<PageOf<EventDelivery>> {
  await readEventEndpoint(db, actor, endpointId);
  const { status, type, executionId } = query;
  // The status is part of the statement: with a parameter, a prepared statement could not use the partial indexes.
  const conditions = Prisma.sql`d.endpoint_id = ${endpointId}::uuid
    ${status ? Prisma.sql`AND d.status IN (${Prisma.raw(status.map((each) => `'${each}'`).join(', '))})` : Prisma.empty}
    ${type ? Prisma.sql`AND d.type = ANY (${[...type]}::text[])` : Prisma.empty}
    ${executionId ? Prisma.sql`AND d.execution_id = ${executionId}::uuid` : Prisma.empty}`;
  const { take, skip } = pageRange(query);
  const rows = await db.$queryRaw<DeliveryRow[]>(Prisma.sql`/* events.list-deliveries */
    SELECT ${DELIVERY_COLUMNS} FROM event_deliveries d WHERE ${conditions} ORDER BY d.seq DESC LIMIT ${take} OFFSET ${skip}`);
  return toPage(query, rows, toDelivery, async () => {
    const [row] = await db.$queryRaw<{ total: number }[]>(
      Prisma.sql`SELECT count(*)::int AS total FROM event_deliveries d WHERE ${conditions}`,
    );
    return row?.total ?? 0;
  });
}

/**
 * Adds a test event for an endpoint, which no filter applies to.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission; INVALID_STATE when
 * it is disabled.
 */
export function addTestEvent(db: Database, actor: Actor, endpointId: string): Promise<EventDelivery> {
  return db.$transaction(async (tx) => {
    const workspaceId = await requireEnabled(tx, actor, endpointId);
    const [row] = await tx.$queryRaw<DeliveryRow[]>(Prisma.sql`/* events.add-test */
      INSERT INTO event_deliveries AS d (endpoint_id, workspace_id, type)
      VALUES (${endpointId}::uuid, ${workspaceId}::uuid, ${TEST_EVENT_TYPE})
      RETURNING ${DELIVERY_COLUMNS}`);
    if (!row) throw new Error('the test event was not stored');
    await recordChange(tx, actor, { action: 'event-endpoint.test', workspaceId, resourceId: endpointId });
    return toDelivery(row);
  });
}

/** Assignments that deliver the event `d` again, with the same id. */
export const REPLAY = Prisma.sql`status = 'pending', attempt_count = 0, next_attempt_at = now(), finished_at = NULL`;

/**
 * Delivers an event again.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission; INVALID_STATE while
 * it is pending, or when its endpoint is disabled.
 */
export function replayEventDelivery(
  db: Database,
  actor: Actor,
  { endpointId, deliveryId }: { readonly endpointId: string; readonly deliveryId: string },
): Promise<EventDelivery> {
  return db.$transaction(async (tx) => {
    const workspaceId = await requireEnabled(tx, actor, endpointId);
    const isIt = Prisma.sql`d.id = ${deliveryId}::uuid AND d.endpoint_id = ${endpointId}::uuid`;
    const [row] = await tx.$queryRaw<DeliveryRow[]>(Prisma.sql`/* events.replay */
      UPDATE event_deliveries d SET ${REPLAY} WHERE ${isIt} AND d.status <> 'pending' RETURNING ${DELIVERY_COLUMNS}`);
    if (!row) {
      const [pending] = await tx.$queryRaw<DeliveryRow[]>(
        Prisma.sql`SELECT ${DELIVERY_COLUMNS} FROM event_deliveries d WHERE ${isIt}`,
      );
      throw pending
        ? new DeckhandError('INVALID_STATE', { message: 'The event is being delivered' })
        : new DeckhandError('NOT_FOUND', { message: 'The endpoint has no such delivery' });
    }
    await recordChange(tx, actor, {
      action: 'event-endpoint.replay',
      workspaceId,
      resourceId: endpointId,
      details: { deliveryId },
    });
    return toDelivery(row);
  });
}

/**
 * Delivers the events of a time again, the earliest first, up to a number of them. Those that are pending are not
 * changed.
 * @throws DeckhandError NOT_FOUND when the actor may not see it; FORBIDDEN without the permission; INVALID_STATE when
 * it is disabled.
 */
export function replayEventDeliveries(
  db: Database,
  actor: Actor,
  endpointId: string,
  { since, until, status = 'failed' }: ReplayEventsBody,
): Promise<ReplayEventsResponse> {
  return db.$transaction(async (tx) => {
    const workspaceId = await requireEnabled(tx, actor, endpointId);
    const isWanted = status === 'all' ? Prisma.sql`d.status <> 'pending'` : Prisma.raw(`d.status = '${status}'`);
    const rows = await tx.$queryRaw<{ occurredAt: Date }[]>(Prisma.sql`/* events.replay-range */
      UPDATE event_deliveries d SET ${REPLAY}
      WHERE d.id IN (
        SELECT d.id FROM event_deliveries d
        WHERE d.endpoint_id = ${endpointId}::uuid AND ${isWanted} AND d.occurred_at >= ${toDate(since)}::timestamptz
          AND d.occurred_at <= ${until === undefined ? null : toDate(until)}::timestamptz IS NOT FALSE
        ORDER BY d.seq LIMIT ${MAX_REPLAYED} FOR UPDATE SKIP LOCKED)
      RETURNING d.occurred_at AS "occurredAt"`);
    const replayed = rows.length;
    const details = { replayed, since, ...(until === undefined ? {} : { until }), status };
    await recordChange(tx, actor, { action: 'event-endpoint.replay', workspaceId, resourceId: endpointId, details });
    const latest = Math.max(...rows.map(({ occurredAt }) => occurredAt.getTime()));
    return { replayed, nextSince: replayed === MAX_REPLAYED ? new Date(latest).toISOString() : null };
  });
}

/** Returns the workspace of an endpoint. @throws DeckhandError also INVALID_STATE when it is disabled. */
async function requireEnabled(tx: Queryable, actor: Actor, endpointId: string): Promise<string> {
  const { workspaceId, enabled } = await readEventEndpoint(tx, actor, endpointId);
  if (!enabled) throw new DeckhandError('INVALID_STATE', { message: 'The endpoint is disabled: enable it first' });
  return workspaceId;
}

export function toDelivery({ occurredAt, nextAttemptAt, finishedAt, ...row }: DeliveryRow): EventDelivery {
  return {
    ...row,
    webhookId: webhookIdOf(row.id),
    occurredAt: occurredAt.toISOString(),
    nextAttemptAt: row.status === 'pending' ? nextAttemptAt.toISOString() : null,
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
