import type { EventAttempt, EventDelivery } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type Database, Prisma, type Queryable } from '../client.js';
import { CURRENT_FIRST, IS_VALID } from './endpoints.js';

/** Failed attempts in a row from which on an endpoint counts as failing: it then gets one attempt at a time. */
const FAILING_AFTER = 5;
/** An endpoint that has failed for this long, and so often, is disabled. */
const DISABLED_AFTER = Prisma.sql`interval '5 days'`;
const DISABLED_AFTER_FAILURES = 10;
/** A delivery without an attempt for this long, because its endpoint fails, has failed. */
const EXPIRES_AFTER = Prisma.sql`interval '3 days'`;
/** How long finished deliveries are kept. */
const KEPT = Prisma.sql`interval '30 days'`;
/** Number of due deliveries of an endpoint that one statement reads. */
const READ_PER_ENDPOINT = 64;
/** Number of attempts that a delivery remembers. */
const KEPT_ATTEMPTS = 20;
/** Maximum number of attempts in progress of a lane of callbacks: those of a workspace have as many as an endpoint. */
const MAX_PER_CALLBACK_LANE = 8;

/** A delivery for one attempt. Until the attempt is recorded, or its lease ends, nobody else makes another. */
export interface TakenDelivery extends Pick<
  EventDelivery,
  'id' | 'endpointId' | 'type' | 'workflowId' | 'executionId' | 'nodeId'
> {
  readonly workspaceId: string;
  /** Of the node; null outside loops. */
  readonly iteration: string | null;
  /** The revision of the run after the event; null for other events. */
  readonly revision: number | null;
  readonly occurredAt: Date;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly url: string;
  /** JWEs of the secrets to sign with, the current one first. */
  readonly sealedSecrets: readonly string[];
  /** Whether the endpoint counts as failing, or has at least failed since its last success. */
  readonly isFailing: boolean;
  readonly hasFailures: boolean;
}

/** How many deliveries to take. */
export interface TakeRequest {
  /** Attempts in progress in this process, by endpoint. */
  readonly inProgress: ReadonlyMap<string, number>;
  /** Maximum number of attempts in progress for one endpoint, here. */
  readonly maxPerEndpoint: number;
  /** Maximum number for endpoints that do not fail, and for those that fail. */
  readonly room: number;
  readonly failingRoom: number;
  /** For how long nobody else attempts these, in ms. */
  readonly leaseMs: number;
}

/** The endpoints with pending deliveries, found by jumping from one to the next in the index event_deliveries_due. */
const LANES = Prisma.sql`lanes AS (
      (SELECT d.endpoint_id FROM event_deliveries d WHERE d.status = 'pending' ORDER BY d.endpoint_id LIMIT 1)
      UNION ALL
      SELECT (SELECT d.endpoint_id FROM event_deliveries d WHERE d.status = 'pending' AND d.endpoint_id > l.endpoint_id
        ORDER BY d.endpoint_id LIMIT 1)
      FROM lanes l WHERE l.endpoint_id IS NOT NULL
    )`;

const IS_FAILING = Prisma.sql`p.failure_count >= ${FAILING_AFTER}`;

/**
 * Takes due deliveries, the earliest of each endpoint first, and leases them.
 *
 *     lanes ─▶ due (per endpoint, and whether an earlier event of the run is pending) ─┬▶ taken    leased
 *                                                                                      └▶ delayed  until it is due
 *
 * Races: two processes that take at once lock different rows (SKIP LOCKED), and the lock checks again that a row is
 * due. A process that dies after its attempt and before it records it: the lease ends, and the event is sent again with
 * the same id. Events of a run are sent one after another: a later one is taken only when no earlier one is pending.
 */
export async function takeEventDeliveries(db: Database, request: TakeRequest): Promise<TakenDelivery[]> {
  const { inProgress, maxPerEndpoint, room, failingRoom, leaseMs } = request;
  return db.$queryRaw<TakenDelivery[]>(Prisma.sql`/* events.take */
    WITH RECURSIVE ${LANES}, open_lanes AS (
      SELECT p.id, p.url, ${IS_FAILING} AS "isFailing", p.failure_count > 0 AS "hasFailures",
        CASE WHEN ${IS_FAILING} THEN 1 WHEN p.callback_lane IS NOT NULL THEN least(${MAX_PER_CALLBACK_LANE}, ${maxPerEndpoint}::int)
          ELSE ${maxPerEndpoint}::int END - coalesce(b.count, 0) AS room
      FROM lanes l JOIN event_endpoints p ON p.id = l.endpoint_id
      LEFT JOIN unnest(${[...inProgress.keys()]}::uuid[], ${[...inProgress.values()]}::int[]) AS b (id, count) ON b.id = p.id
      WHERE p.disabled_at IS NULL AND (p.throttled_until IS NULL OR p.throttled_until <= now())
    ), due AS (
      SELECT d.id, o.id AS endpoint_id, o.room, o."isFailing", b.next_attempt_at AS blocked_until, b.is_leased AS is_blocker_leased,
        b.seq IS NOT NULL AS "isBlocked",
        row_number() OVER (PARTITION BY o.id, b.seq IS NOT NULL ORDER BY d.next_attempt_at, d.seq) AS place
      FROM open_lanes o CROSS JOIN LATERAL (
        SELECT d.id, d.seq, d.execution_id, d.next_attempt_at FROM event_deliveries d
        WHERE d.endpoint_id = o.id AND d.status = 'pending' AND d.next_attempt_at <= now()
        ORDER BY d.next_attempt_at, d.seq LIMIT ${READ_PER_ENDPOINT}
      ) d LEFT JOIN LATERAL (
        SELECT b.seq, b.next_attempt_at, b.is_leased FROM event_deliveries b
        WHERE b.endpoint_id = o.id AND b.execution_id = d.execution_id AND b.status = 'pending' AND b.seq < d.seq
        ORDER BY b.seq LIMIT 1
      ) b ON true
      WHERE o.room > 0
    ), chosen AS (
      (SELECT id FROM due WHERE NOT "isBlocked" AND NOT "isFailing" AND place <= room ORDER BY place LIMIT ${room})
      UNION ALL
      (SELECT id FROM due WHERE NOT "isBlocked" AND "isFailing" AND place <= room ORDER BY place LIMIT ${failingRoom})
    ), locked AS (
      SELECT d.id FROM event_deliveries d JOIN chosen c ON c.id = d.id
      WHERE d.status = 'pending' AND d.next_attempt_at <= now() ORDER BY d.id FOR UPDATE OF d SKIP LOCKED
    ), delayed AS (
      UPDATE event_deliveries d SET next_attempt_at = x.blocked_until
      FROM (
        SELECT d.id, due.blocked_until FROM event_deliveries d JOIN due ON due.id = d.id
        WHERE due."isBlocked" AND NOT due.is_blocker_leased AND due.blocked_until > now() AND d.status = 'pending'
        ORDER BY d.id FOR UPDATE OF d SKIP LOCKED
      ) x WHERE d.id = x.id
    )
    UPDATE event_deliveries d
    SET is_leased = true, attempt_count = d.attempt_count + 1, next_attempt_at = now() + ${leaseMs}::int * interval '1 millisecond'
    FROM locked JOIN due ON due.id = locked.id JOIN open_lanes o ON o.id = due.endpoint_id
    WHERE d.id = locked.id
    RETURNING d.id, d.endpoint_id AS "endpointId", d.workspace_id AS "workspaceId", d.type, d.workflow_id AS "workflowId",
      d.execution_id AS "executionId", d.node_id AS "nodeId", d.iteration, d.revision, d.occurred_at AS "occurredAt",
      d.attempt_count::int AS attempt, coalesce(d.url, o.url) AS url, o."isFailing", o."hasFailures",
      ARRAY(SELECT s.secret FROM event_secrets s WHERE s.endpoint_id = d.endpoint_id AND ${IS_VALID}
        ORDER BY ${CURRENT_FIRST}) AS "sealedSecrets"`);
}

/** The result of an attempt. */
export interface AttemptResult {
  readonly delivery: Pick<TakenDelivery, 'id' | 'endpointId' | 'attempt' | 'hasFailures'>;
  readonly attempt: EventAttempt;
  /**
   * `delivered`; `retry` after a delay; `failed`: no more attempts; `gone`: the receiver wants no more events at all.
   */
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'gone';
  /** Delay before the next attempt of this event, in ms. */
  readonly retryInMs: number;
  /** For how long the receiver asked for no requests, in ms; 0 if it did not. */
  readonly throttleMs: number;
}

/** An endpoint that was disabled by its failures. */
export interface DisabledEndpoint {
  readonly id: string;
  readonly reason: 'gone' | 'failing';
}

/**
 * Records attempts, at most one per delivery. Repeating it is harmless.
 *
 * Race: an attempt that is recorded late, after its lease ended and another was begun. A success counts in any case,
 * because the receiver has the event; a failure counts only if its attempt is the last one begun.
 * @returns the endpoints that this disabled.
 */
export async function recordEventAttempts(
  db: Database,
  results: readonly AttemptResult[],
): Promise<DisabledEndpoint[]> {
  const ofUnhealthy = results.filter(({ outcome, delivery }) => outcome !== 'delivered' || delivery.hasFailures);
  if (ofUnhealthy.length === 0) {
    await recordAttempts(db, results);
    return [];
  }
  return db.$transaction(async (tx) => {
    await recordAttempts(tx, results);
    return recordHealth(tx, results);
  });
}

async function recordAttempts(db: Queryable, results: readonly AttemptResult[]): Promise<void> {
  const rows = results.map(({ delivery, attempt, outcome, retryInMs }) => ({
    id: delivery.id,
    number: delivery.attempt,
    entry: attempt,
    outcome,
    retryInMs,
  }));
  await db.$executeRaw(Prisma.sql`/* events.record-attempts */
      WITH given AS (
        SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS g(
          id uuid, number int, entry jsonb, outcome text, "retryInMs" float8)
      ), locked AS (
        SELECT d.id, g.entry, g.outcome, g."retryInMs" FROM event_deliveries d JOIN given g ON g.id = d.id
        WHERE d.status = 'pending' AND (g.outcome = 'delivered' OR d.attempt_count = g.number)
        ORDER BY d.id FOR UPDATE OF d
      )
      UPDATE event_deliveries d
      SET is_leased = false,
          status = CASE l.outcome WHEN 'delivered' THEN 'delivered' WHEN 'retry' THEN 'pending' ELSE 'failed' END::event_delivery_status,
          next_attempt_at = now() + l."retryInMs" * interval '1 millisecond',
          finished_at = CASE WHEN l.outcome <> 'retry' THEN now() END,
          attempts = CASE WHEN jsonb_array_length(d.attempts) < ${KEPT_ATTEMPTS} THEN d.attempts ELSE d.attempts - 0 END || l.entry
      FROM locked l WHERE d.id = l.id`);
}

/**
 * Updates the health of the endpoints of these attempts; healthy ones that stay so are not written. A lane of callbacks
 * has many receivers, so none of them disables or pauses it.
 */
async function recordHealth(tx: Queryable, results: readonly AttemptResult[]): Promise<DisabledEndpoint[]> {
  const byEndpoint = Map.groupBy(results, ({ delivery }) => delivery.endpointId);
  const rows = [...byEndpoint].map(([id, ofEndpoint]) => ({
    id,
    hasSuccess: ofEndpoint.some(({ outcome }) => outcome === 'delivered'),
    isGone: ofEndpoint.some(({ outcome }) => outcome === 'gone'),
    failures: ofEndpoint.filter(({ outcome }) => outcome !== 'delivered').length,
    throttleMs: Math.max(...ofEndpoint.map(({ throttleMs }) => throttleMs)),
  }));
  const disabled = await tx.$queryRaw<
    (DisabledEndpoint & { readonly workspaceId: string; readonly isDisabled: boolean })[]
  >(Prisma.sql`/* events.record-health */
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS g(
        id uuid, "hasSuccess" boolean, "isGone" boolean, failures int, "throttleMs" float8)
    ), assessed AS (
      SELECT p.id, g."hasSuccess", g.failures, g."throttleMs",
        p.callback_lane, CASE WHEN p.callback_lane IS NOT NULL THEN NULL WHEN g."isGone" THEN 'gone'
          WHEN NOT g."hasSuccess" AND p.failing_since < now() - ${DISABLED_AFTER}
            AND p.failure_count + g.failures >= ${DISABLED_AFTER_FAILURES} THEN 'failing' END AS reason
      FROM event_endpoints p JOIN given g USING (id)
      WHERE p.disabled_at IS NULL AND (g.failures > 0 OR p.failure_count > 0)
      ORDER BY p.id FOR NO KEY UPDATE OF p
    )
    UPDATE event_endpoints p
    SET failure_count = CASE WHEN a."hasSuccess" THEN 0 ELSE p.failure_count + a.failures END,
        failing_since = CASE WHEN NOT a."hasSuccess" THEN coalesce(p.failing_since, now()) END,
        throttled_until = CASE WHEN a."throttleMs" > 0 AND a.callback_lane IS NULL THEN now() + a."throttleMs" * interval '1 millisecond' END,
        disabled_at = CASE WHEN a.reason IS NOT NULL THEN now() END,
        disabled_reason = a.reason::event_endpoint_disabled_reason,
        updated_at = CASE WHEN a.reason IS NULL THEN p.updated_at ELSE now() END
    FROM assessed a WHERE p.id = a.id
    RETURNING p.id, p.workspace_id AS "workspaceId", a.reason, a.reason IS NOT NULL AS "isDisabled"`);
  const lost = disabled.filter(({ isDisabled }) => isDisabled);
  if (lost.length > 0) {
    await tx.auditEntry.createMany({
      data: lost.map(({ id, workspaceId, reason }) => ({
        id: uuidv7(),
        workspaceId,
        action: 'event-endpoint.disable',
        resourceType: 'event-endpoint',
        resourceId: id,
        details: { reason },
      })),
    });
  }
  return lost.map(({ id, reason }) => ({ id, reason }));
}

/**
 * Deletes deliveries of deleted endpoints and old ones, and fails those of disabled endpoints and those that no attempt
 * reached for days, up to a number of each. @returns how many rows it changed.
 */
export async function tidyEventDeliveries(db: Database, limit: number): Promise<number> {
  const ofLanes = (join: Prisma.Sql, condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
    WITH RECURSIVE ${LANES}, found AS (
      SELECT d.id FROM lanes l ${join} CROSS JOIN LATERAL (
        SELECT d.id FROM event_deliveries d
        WHERE d.endpoint_id = l.endpoint_id AND d.status = 'pending' ${condition}
        ORDER BY d.next_attempt_at, d.seq LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED
      ) d LIMIT ${limit}
    )`;
  const failed = Prisma.sql`UPDATE event_deliveries d
    SET status = 'failed', finished_at = now(), is_leased = false FROM found WHERE d.id = found.id`;
  const [ofDisabled, expired] = [
    await db.$executeRaw(Prisma.sql`/* events.fail-disabled */
      ${ofLanes(Prisma.sql`JOIN event_endpoints p ON p.id = l.endpoint_id AND p.disabled_at IS NOT NULL`, Prisma.empty)}
      ${failed}`),
    await db.$executeRaw(Prisma.sql`/* events.expire */
      ${ofLanes(Prisma.empty, Prisma.sql`AND d.next_attempt_at < now() - ${EXPIRES_AFTER}`)}
      ${failed}`),
  ];
  const old = await db.$executeRaw(Prisma.sql`/* events.prune */
    DELETE FROM event_deliveries WHERE id IN (
      SELECT d.id FROM event_deliveries d WHERE d.occurred_at < now() - ${KEPT} AND d.status <> 'pending'
      LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)`);
  return ofDisabled + expired + old + (await deleteOrphans(db, limit));
}

/** Deletes deliveries whose endpoint was deleted, endpoint by endpoint in the index on endpoint and sequence. */
function deleteOrphans(db: Database, limit: number): Promise<number> {
  return db.$executeRaw(Prisma.sql`/* events.delete-orphans */
    WITH RECURSIVE known AS (
      (SELECT d.endpoint_id FROM event_deliveries d ORDER BY d.endpoint_id LIMIT 1)
      UNION ALL
      SELECT (SELECT d.endpoint_id FROM event_deliveries d WHERE d.endpoint_id > k.endpoint_id ORDER BY d.endpoint_id LIMIT 1)
      FROM known k WHERE k.endpoint_id IS NOT NULL
    )
    DELETE FROM event_deliveries WHERE id IN (
      SELECT d.id FROM known k CROSS JOIN LATERAL (
        SELECT d.id FROM event_deliveries d WHERE d.endpoint_id = k.endpoint_id
        ORDER BY d.seq LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED
      ) d
      WHERE NOT EXISTS (SELECT FROM event_endpoints p WHERE p.id = k.endpoint_id)
      LIMIT ${limit})`);
}

/** Pending deliveries of the whole instance. */
export interface EventBacklog {
  /** Up to the given maximum. */
  readonly deliveries: number;
  /** For how long the earliest due delivery has been due; 0 without one. */
  readonly overdueSeconds: number;
}

/** Measures how far deliveries are behind. */
export async function readEventBacklog(db: Database, max: number): Promise<EventBacklog> {
  const [row] = await db.$queryRaw<EventBacklog[]>(Prisma.sql`/* events.backlog */
    WITH RECURSIVE ${LANES}
    SELECT (SELECT count(*)::int FROM (SELECT FROM event_deliveries d WHERE d.status = 'pending' LIMIT ${max}) d) AS deliveries,
      coalesce(greatest(0, max(extract(epoch FROM now() - d.next_attempt_at))), 0)::float8 AS "overdueSeconds"
    FROM lanes l CROSS JOIN LATERAL (
      SELECT d.next_attempt_at FROM event_deliveries d WHERE d.endpoint_id = l.endpoint_id AND d.status = 'pending'
      ORDER BY d.next_attempt_at LIMIT 1
    ) d`);
  return row ?? { deliveries: 0, overdueSeconds: 0 };
}
