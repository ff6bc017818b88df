import { type EventAttempt, type EventDelivery, parseOwnJson } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { CURRENT_FIRST, IS_VALID } from './endpoints.ts';

/** Failed attempts in a row from which on an endpoint counts as failing: it then gets one attempt at a time. */
const FAILING_AFTER = 5;
/** An endpoint that has failed for this long, and so often, is disabled. */
const DISABLED_AFTER = Prisma.sql`interval '5 days'`;
const DISABLED_AFTER_FAILURES = 10;
/** A delivery without an attempt for this long, because its endpoint fails, has failed. */
const EXPIRES_AFTER = Prisma.sql`interval '3 days'`;
/** How long finished deliveries are kept. */
const KEPT = Prisma.sql`interval '30 days'`;
/** Number of due deliveries beyond those asked for that a statement reads, because some are blocked. */
const READ_AHEAD = 64;
/** Number of attempts that a delivery remembers. */
const KEPT_ATTEMPTS = 20;
/** Maximum number of attempts in progress for an endpoint. */
const MAX_PER_ENDPOINT = 32;
/** The same for a lane of callbacks: those of a workspace have as many as an endpoint. */
const MAX_PER_CALLBACK_LANE = 8;

/** A due delivery. */
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
  /** The number of its next attempt, from 1. */
  readonly attempt: number;
  readonly url: string;
  /** JWEs of the secrets to sign with, the current one first. The same array for all of a lane. */
  readonly sealedSecrets: readonly string[];
  /** Whether the endpoint has failed since its last success. */
  readonly hasFailures: boolean;
}

/** An endpoint, or a lane of callbacks, whose deliveries the process leases. */
export interface LeasedLane {
  readonly endpointId: string;
  /** For how long nobody else delivers its events, in ms, from the beginning of the statement. */
  readonly leftMs: number;
  /** Whether it counts as failing. */
  readonly isFailing: boolean;
}

/** What to take of a lane. */
export interface LaneRequest {
  readonly endpointId: string;
  /** Maximum number of deliveries; a failing lane gives one. */
  readonly room: number;
  /** Ids of those that were taken before and whose attempts are not recorded yet. */
  readonly held: readonly string[];
}

/** What was taken of a lane. */
export interface TakenLane {
  readonly endpointId: string;
  readonly isFailing: boolean;
  /** Maximum number of attempts in progress. */
  readonly maxInProgress: number;
  /** The earliest first. */
  readonly deliveries: readonly TakenDelivery[];
  /** Whether others are due once an attempt of an earlier event of their run is recorded. */
  readonly hasBlocked: boolean;
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
/** Whether the endpoint `p` may get events now. */
const IS_OPEN = Prisma.sql`p.disabled_at IS NULL AND (p.throttled_until IS NULL OR p.throttled_until <= now())`;
const inMs = (ms: number): Prisma.Sql => Prisma.sql`${ms}::float8 * interval '1 millisecond'`;

/**
 * Leases the lanes that have due deliveries, those of other processes excepted. A lease of this process is renewed once
 * less than `renewBelowMs` of it is left.
 *
 * Race: two processes that do so at once. They lock different rows (SKIP LOCKED), and the lock checks the lease again.
 * Deliveries are read by later statements, which see all that a former holder recorded before it released the lane.
 * @param holder the id of this process. @returns the lanes with due deliveries that it leases now.
 */
export function leaseEventLanes(
  db: Database,
  {
    holder,
    leaseMs,
    renewBelowMs,
  }: { readonly holder: string; readonly leaseMs: number; readonly renewBelowMs: number },
): Promise<LeasedLane[]> {
  return db.$queryRaw<LeasedLane[]>(Prisma.sql`/* events.lease-lanes */
    WITH RECURSIVE ${LANES}, due AS (
      SELECT p.id FROM lanes l JOIN event_endpoints p ON p.id = l.endpoint_id
      WHERE ${IS_OPEN} AND EXISTS (
        SELECT FROM event_deliveries d WHERE d.endpoint_id = p.id AND d.status = 'pending' AND d.next_attempt_at <= now())
    ), free AS (
      SELECT p.id FROM event_endpoints p
      WHERE p.id = ANY (ARRAY(SELECT id FROM due)) AND CASE WHEN p.lease_holder = ${holder}::uuid
        THEN p.leased_until < now() + ${inMs(renewBelowMs)} ELSE coalesce(p.leased_until <= now(), true) END
      ORDER BY p.id FOR NO KEY UPDATE OF p SKIP LOCKED
    ), leased AS (
      UPDATE event_endpoints p SET lease_holder = ${holder}::uuid, leased_until = now() + ${inMs(leaseMs)}
      FROM free WHERE p.id = free.id
      RETURNING p.id, ${IS_FAILING} AS is_failing
    )
    SELECT id AS "endpointId", ${leaseMs}::float8 AS "leftMs", is_failing AS "isFailing" FROM leased
    UNION ALL
    SELECT p.id, (extract(epoch FROM p.leased_until - now()) * 1000)::float8, ${IS_FAILING}
    FROM event_endpoints p JOIN due ON due.id = p.id
    WHERE p.lease_holder = ${holder}::uuid AND p.leased_until >= now() + ${inMs(renewBelowMs)}`);
}

/** Releases the lanes of a process, so that another one leases them at once. */
export async function releaseEventLanes(db: Database, holder: string): Promise<void> {
  await db.$executeRaw(Prisma.sql`/* events.release-lanes */
    UPDATE event_endpoints SET leased_until = NULL, lease_holder = NULL WHERE id IN (
      SELECT p.id FROM event_endpoints p WHERE p.lease_holder = ${holder}::uuid ORDER BY p.id FOR NO KEY UPDATE OF p)`);
}

/** A row of `takeEventDeliveries`, and what its text of JSON contains. */
interface LaneRow extends Omit<TakenLane, 'deliveries'> {
  readonly url: string;
  readonly hasFailures: boolean;
  readonly sealedSecrets: readonly string[];
  /** Null if all are blocked. */
  readonly deliveries: string | null;
}
interface DeliveryRow extends Omit<
  TakenDelivery,
  'endpointId' | 'url' | 'occurredAt' | 'sealedSecrets' | 'hasFailures'
> {
  readonly url: string | null;
  readonly occurredAtMs: number;
}

/**
 * Reads due deliveries of lanes that the process leases, the earliest of each first. It writes nothing: the lease
 * excludes other processes, and the process itself names those that it holds already.
 *
 *     open_lanes ─▶ due (with the earlier event of the run that is pending) ─┬▶ taken
 *                                                                            └▶ delayed  until that is due
 *
 * Events of a run are sent one after another: a later one is taken only once no earlier one is pending. A process that
 * dies before it records an attempt: once its lease ends, the event is sent again with the same id.
 * @param minLeftMs how much of the lease must be left: longer than an attempt takes.
 * @returns the lanes with due deliveries.
 */
export async function takeEventDeliveries(
  db: Database,
  {
    holder,
    lanes,
    minLeftMs,
  }: { readonly holder: string; readonly lanes: readonly LaneRequest[]; readonly minLeftMs: number },
): Promise<TakenLane[]> {
  // Served by event_deliveries_due, and event_deliveries_pending_of_runs for earlier events.
  const rows = await db.$queryRaw<LaneRow[]>`/* events.take */
    WITH open_lanes AS (
      SELECT p.id, p.url, ${IS_FAILING} AS is_failing, p.failure_count > 0 AS has_failures,
        CASE WHEN ${IS_FAILING} THEN 1 WHEN p.callback_lane IS NOT NULL THEN ${MAX_PER_CALLBACK_LANE}::int
          ELSE ${MAX_PER_ENDPOINT}::int END AS max_in_progress,
        CASE WHEN ${IS_FAILING} THEN least(g.room, 1) ELSE g.room END AS room, g.held::uuid[] AS held
      FROM unnest(
        ${lanes.map(({ endpointId }) => endpointId)}::uuid[], ${lanes.map(({ room }) => room)}::int[],
        ${lanes.map(({ held }) => `{${held.join(',')}}`)}::text[]
      ) AS g (id, room, held) JOIN event_endpoints p ON p.id = g.id
      WHERE p.lease_holder = ${holder}::uuid AND p.leased_until > now() + ${inMs(minLeftMs)} AND ${IS_OPEN}
    ), due AS (
      SELECT d.*, o.room, b.next_attempt_at AS blocked_until, b.seq IS NOT NULL AS is_blocked,
        row_number() OVER (PARTITION BY d.endpoint_id, b.seq IS NOT NULL ORDER BY d.next_attempt_at, d.seq) AS place
      FROM open_lanes o CROSS JOIN LATERAL (
        SELECT d.* FROM event_deliveries d
        WHERE d.endpoint_id = o.id AND d.status = 'pending' AND d.next_attempt_at <= now() AND d.id <> ALL (o.held)
        ORDER BY d.next_attempt_at, d.seq LIMIT o.room + ${READ_AHEAD}
      ) d LEFT JOIN LATERAL (
        SELECT b.seq, b.next_attempt_at FROM event_deliveries b
        WHERE b.endpoint_id = o.id AND b.execution_id = d.execution_id AND b.status = 'pending' AND b.seq < d.seq
        ORDER BY b.seq LIMIT 1
      ) b ON true
    ), delayed AS (
      UPDATE event_deliveries d SET next_attempt_at = x.blocked_until
      FROM (
        SELECT d.id, due.blocked_until FROM event_deliveries d JOIN due ON due.id = d.id
        WHERE d.id = ANY (ARRAY(SELECT id FROM due WHERE is_blocked AND blocked_until > now()))
        ORDER BY d.id FOR UPDATE OF d SKIP LOCKED
      ) x WHERE d.id = x.id
    ), taken AS (
      SELECT d.endpoint_id, json_agg(json_build_object('id', d.id, 'workspaceId', d.workspace_id, 'type', d.type,
        'workflowId', d.workflow_id, 'executionId', d.execution_id, 'nodeId', d.node_id, 'iteration', d.iteration,
        'revision', d.revision, 'occurredAtMs', extract(epoch FROM d.occurred_at) * 1000, 'attempt', d.attempt_count + 1,
        'url', d.url) ORDER BY d.place) FILTER (WHERE NOT d.is_blocked AND d.place <= d.room)::text AS deliveries,
        bool_or(d.is_blocked AND d.blocked_until <= now()) AS has_blocked
      FROM due d GROUP BY d.endpoint_id
    )
    SELECT o.id AS "endpointId", o.url, o.is_failing AS "isFailing", o.has_failures AS "hasFailures",
      o.max_in_progress AS "maxInProgress", t.deliveries, coalesce(t.has_blocked, false) AS "hasBlocked",
      ARRAY(SELECT s.secret FROM event_secrets s WHERE s.endpoint_id = o.id AND ${IS_VALID}
        ORDER BY ${CURRENT_FIRST}) AS "sealedSecrets"
    FROM open_lanes o JOIN taken t ON t.endpoint_id = o.id`;
  return rows.map(({ url, hasFailures, sealedSecrets, deliveries, ...lane }) => ({
    ...lane,
    deliveries: parseOwnJson<DeliveryRow[]>(deliveries ?? '[]').map(({ occurredAtMs, ...delivery }) => ({
      ...delivery,
      endpointId: lane.endpointId,
      url: delivery.url ?? url,
      occurredAt: new Date(occurredAtMs),
      sealedSecrets,
      hasFailures,
    })),
  }));
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
 * Race: an attempt that is recorded late, after its lease ended and another process made one, too. A success counts in
 * any case, because the receiver has the event; of the failures with the same number, the first one counts.
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
  const ids = results.map(({ delivery }) => delivery.id);
  // Found by their ids alone: a condition on the status could make the planner read all that are pending.
  await db.$executeRaw`/* events.record-attempts */
    WITH given AS (
      SELECT * FROM unnest(
        ${ids}::uuid[], ${results.map(({ delivery }) => delivery.attempt)}::int[],
        ${results.map(({ outcome }) => outcome)}::text[], ${results.map(({ retryInMs }) => retryInMs)}::float8[],
        ${results.map(({ attempt }) => JSON.stringify(attempt))}::text[]
      ) AS g (id, number, outcome, retry_in_ms, entry)
    ), locked AS (
      SELECT d.id, d.status, d.attempt_count FROM event_deliveries d WHERE d.id = ANY (${ids}::uuid[])
      ORDER BY d.id FOR UPDATE OF d
    )
    UPDATE event_deliveries d
    SET status = CASE g.outcome WHEN 'delivered' THEN 'delivered' WHEN 'retry' THEN 'pending' ELSE 'failed' END::event_delivery_status,
        attempt_count = greatest(d.attempt_count, g.number),
        next_attempt_at = now() + g.retry_in_ms * interval '1 millisecond',
        finished_at = CASE WHEN g.outcome <> 'retry' THEN now() END,
        attempts = CASE WHEN jsonb_array_length(d.attempts) < ${KEPT_ATTEMPTS} THEN d.attempts ELSE d.attempts - 0 END || g.entry::jsonb
    FROM locked l JOIN given g ON g.id = l.id
    WHERE d.id = l.id AND l.status = 'pending'
      AND (g.outcome = 'delivered' OR l.attempt_count = g.number - 1)`;
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
    SET status = 'failed', finished_at = now() FROM found WHERE d.id = found.id`;
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
