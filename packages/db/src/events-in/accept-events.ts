import { type Actor, memberMay } from '../access.ts';
import { type Database, Prisma } from '../client.ts';
import { queryWithRawParameters } from '../connection.ts';
import { retryOnce } from '../store-errors.ts';

/** An event that somebody sends. */
export interface NewEvent {
  /** Chosen by the caller, so that accepting the event again after an ambiguous error is harmless. */
  readonly id: string;
  readonly workspaceId: string;
  /** The person who sends it; null for a trigger of an active workflow. */
  readonly actor: Pick<Actor, 'userId'> | null;
  /** The sender's id of it: a second event with the same id is ignored. */
  readonly eventId: string;
  readonly name: string;
  /** Empty without one. */
  readonly key: string;
  /** Serialised JSON. */
  readonly data: string;
}

/** The result. Only `accepted` events are on disk. */
export type EventVerdict =
  /** `isSame`: false if its id was used by an event with another name, key or data. */
  | { readonly kind: 'accepted'; readonly isRepeated: boolean; readonly isSame: boolean }
  | { readonly kind: 'noMember' | 'forbidden' | 'overQuota' | 'tooMany' };

interface Row {
  readonly id: string;
  readonly verdict: EventVerdict['kind'];
  readonly isOwn: boolean;
}

/**
 * Maximum number of events of a workspace that are not matched yet. Requests at the same time may exceed it slightly.
 */
const MAX_UNMATCHED = 20_000;

/**
 * Stores events in one statement, those that repeat the id of another one excepted. Matching is a later step: an event
 * is acknowledged once it is on disk.
 *
 * Race: the same id at the same time. The second insert waits until the first is committed, and then does nothing. Rows
 * are inserted in the order of their ids, so that two statements never wait for each other.
 * @returns a verdict for each event, in their order.
 */
export function acceptEvents(db: Database, events: readonly NewEvent[]): Promise<EventVerdict[]> {
  // After an ambiguous error, an event that is found is the caller's own.
  return retryOnce(
    () => insert(db, events),
    () => insert(db, events),
  );
}

async function insert(db: Database, events: readonly NewEvent[]): Promise<EventVerdict[]> {
  const rows = await queryWithRawParameters<Row[]>(
    db,
    Prisma.sql`/* events.accept */
    WITH backlogs AS (
      -- Served by events_unmatched.
      SELECT g.workspace_id, (
          SELECT count(*) FROM (
            SELECT FROM events v WHERE v.workspace_id = g.workspace_id AND v.matched_at IS NULL LIMIT ${MAX_UNMATCHED}
          ) unmatched
        ) >= ${MAX_UNMATCHED} AS is_full
      FROM unnest(${[...new Set(events.map(({ workspaceId }) => workspaceId))]}::uuid[]) AS g (workspace_id)
    ), asked AS (
      SELECT a.*, CASE
          WHEN ws.id IS NULL OR (a.user_id IS NOT NULL AND m.role IS NULL) THEN 'noMember'
          WHEN NOT ${memberMay('runs.start')} THEN 'forbidden'
          WHEN ws.stored_bytes >= ws.storage_quota_bytes THEN 'overQuota'
          WHEN b.is_full THEN 'tooMany'
          ELSE 'accepted'
        END AS verdict
      FROM unnest(
        ${events.map(({ id }) => id)}::uuid[],
        ${events.map(({ workspaceId }) => workspaceId)}::uuid[],
        ${events.map(({ actor }) => actor?.userId ?? null)}::uuid[],
        ${events.map(({ eventId }) => eventId)}::text[],
        ${events.map(({ name }) => name)}::text[],
        ${events.map(({ key }) => key)}::text[],
        ${events.map(({ data }) => data)}::text[]
      ) AS a (id, workspace_id, user_id, event_id, name, key, data)
      LEFT JOIN backlogs b ON b.workspace_id = a.workspace_id
      LEFT JOIN workspaces ws ON ws.id = a.workspace_id
      LEFT JOIN memberships m ON m.workspace_id = a.workspace_id AND m.user_id = a.user_id
    ), inserted AS (
      INSERT INTO events (id, workspace_id, event_id, name, key, data)
      SELECT id, workspace_id, event_id, name, key, data FROM asked WHERE verdict = 'accepted'
      ORDER BY workspace_id, event_id, id
      ON CONFLICT DO NOTHING
      RETURNING id, workspace_id, octet_length(data) AS bytes
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes) SELECT workspace_id, sum(bytes) FROM inserted GROUP BY workspace_id
    )
    SELECT a.id, a.verdict,
      EXISTS (SELECT 1 FROM inserted i WHERE i.id = a.id) OR EXISTS (SELECT 1 FROM events e WHERE e.id = a.id) AS "isOwn"
    FROM asked a`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const repeated = events.filter(({ id }) => byId.get(id)?.verdict === 'accepted' && byId.get(id)?.isOwn === false);
  const others = await findOthers(db, repeated);
  return events.map(({ id }) => {
    const row = byId.get(id);
    // Also after an ambiguous error, if a limit was reached meanwhile: it is on disk.
    if (row?.isOwn) return { kind: 'accepted', isRepeated: false, isSame: true };
    if (row?.verdict !== 'accepted') return { kind: row?.verdict ?? 'noMember' };
    return { kind: 'accepted', isRepeated: true, isSame: !others.has(id) };
  });
}

/** Returns the ids of those events whose sender's id was used by an event with another name, key or data. */
async function findOthers(db: Database, events: readonly NewEvent[]): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  // Served by the unique index on workspace and sender's id. A later statement, because it has to see events that
  // another one has just committed.
  const rows = await queryWithRawParameters<{ id: string }[]>(
    db,
    Prisma.sql`/* events.find-others */
    SELECT a.id FROM unnest(
      ${events.map(({ id }) => id)}::uuid[],
      ${events.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${events.map(({ eventId }) => eventId)}::text[],
      ${events.map(({ name }) => name)}::text[],
      ${events.map(({ key }) => key)}::text[],
      ${events.map(({ data }) => data)}::text[]
    ) AS a (id, workspace_id, event_id, name, key, data)
    JOIN events e ON e.workspace_id = a.workspace_id AND e.event_id = a.event_id
    WHERE (e.name, e.key, e.data) IS DISTINCT FROM (a.name, a.key, a.data)`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** How long an event is kept: its id is known, waits may look back to it, and a limit may delay its runs. */
const LIFETIME = Prisma.sql`interval '24 hours'`;

/** Numbers of events that were deleted. */
export interface PrunedEvents {
  readonly all: number;
  /** Those that were not matched: limits have delayed their runs for all that time. */
  readonly unmatched: number;
}

/** Maximum number of bytes of data that one statement deletes: it is stored in parts, each a row of its own. */
const MAX_PRUNED_BYTES = 64 * 1_048_576;

/** Deletes old events, up to a number, and up to a number of bytes if there are several. */
export async function pruneEvents(db: Database, limit: number): Promise<PrunedEvents> {
  // Served by the index on received_at.
  const [row] = await db.$queryRaw<PrunedEvents[]>(Prisma.sql`/* events.prune */
    WITH deleted AS (
      DELETE FROM events WHERE id IN (
        SELECT id FROM (
          SELECT id, bytes, sum(bytes) OVER (ORDER BY received_at, id) AS total FROM (
            SELECT id, received_at, octet_length(data) AS bytes FROM events
            WHERE received_at < now() - ${LIFETIME} ORDER BY received_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) old
        ) old WHERE total <= ${MAX_PRUNED_BYTES} OR total = bytes)
      RETURNING workspace_id, octet_length(data) AS bytes, matched_at
    ), stored AS (
      INSERT INTO storage_changes (workspace_id, bytes) SELECT workspace_id, -sum(bytes) FROM deleted GROUP BY workspace_id
    )
    SELECT count(*)::int AS "all", (count(*) FILTER (WHERE matched_at IS NULL))::int AS unmatched FROM deleted`);
  return row ?? { all: 0, unmatched: 0 };
}
