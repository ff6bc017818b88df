import { Prisma } from '../client.ts';

/*
 * Events are matched after they are stored, by maintenance: the waits for an event are ended, the runs of its triggers
 * are started, and it is marked as matched. Each step can be repeated without harm, so an event wakes and starts each
 * run once, however often processes die: a wait is ended by one conditional write, and the ids of runs are derived from
 * the event and the trigger.
 *
 * No wait misses an event. Of an event and a wait, one is committed first:
 *  - the wait: `endWaitsForEvents` sees it, because its statement begins after the event is committed;
 *  - the event: `endNewWaits` sees it, because it is repeated until a statement that began after the wait was committed
 *    has found none (`events_checked_at`).
 * If both see each other, the second finds that the wait has ended.
 *
 * No run is woken twice by one event: `waits.event_id` says which events have ended waits of the run, and those end no
 * wait that begins afterwards.
 */

/** The event `v` as runs see it, as a text of JSON. */
export const SEEN = Prisma.sql`json_build_object('id', v.event_id, 'name', v.name, 'key', nullif(v.key, ''), 'data', v.data::json,
    'receivedAt', to_char(v.received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text`;

/** Maximum number of runs between a run and the one that an event has started. */
const MAX_ANCESTORS = 20;

/**
 * Whether the event `v` has started the run `x`, or one that `x` reruns or that started it: whether the trigger data
 * begins as `SEEN` writes that event. Only its beginning is read: it may be long, and PostgreSQL parses no JSON that
 * has half a surrogate pair anywhere.
 */
const HAS_STARTED = Prisma.sql`EXISTS (
      WITH RECURSIVE origins AS (
        SELECT x.id, x.source, x.trigger_data, x.parent_execution_id, x.rerun_of, 0 AS distance
        UNION ALL
        SELECT p.id, p.source, p.trigger_data, p.parent_execution_id, p.rerun_of, a.distance + 1
        FROM origins a JOIN executions p ON p.id = ANY (ARRAY[a.parent_execution_id, a.rerun_of])
        WHERE a.distance < ${MAX_ANCESTORS}
      )
      SELECT FROM origins a WHERE a.source IN ('event', 'rerun')
        AND starts_with(substr(a.trigger_data, 1, 2000), '{"id" : ' || to_json(v.event_id)::text || ','))`;

/** Whether the wait `w` is open, and for events. It has the wording of the indexes of such waits. */
export const IS_OPEN = Prisma.sql`w.answered_at IS NULL AND w.event_name IS NOT NULL`;

/** Whether the wait `w` is one of its run itself, for an event that stops it. It belongs to no node. */
export const STOPS_RUN = Prisma.sql`w.node_id = ''`;

/**
 * The earliest time of an event that can end the wait `w` of the run `x`. Events that stop a run count from its
 * acceptance on, and for a debounced run from that of the start that was joined last.
 */
const LOOKS_BACK_TO = Prisma.sql`CASE WHEN ${STOPS_RUN} THEN coalesce(x.joined_at, x.created_at)
    ELSE w.created_at - (w.details::json ->> 'lookbackSeconds')::float8 * interval '1 second' END`;

/**
 * Whether the event `v`, which has the name and key of the wait `w` of the run `x`, ends it: it came after the wait
 * began, or shortly before and has neither started this run nor ended another wait of it. Events that started a run it
 * comes from count as having started it.
 */
export const ENDS_WAIT = Prisma.sql`(v.received_at > w.created_at OR (
    v.received_at >= ${LOOKS_BACK_TO}
    AND NOT EXISTS (SELECT 1 FROM waits o WHERE o.execution_id = w.execution_id AND o.event_id = v.id)
    AND NOT ${HAS_STARTED}))`;

/**
 * Returns the query of the first event that came before the wait `w` of the run `x` and ends it: its id and its size.
 * Served by the two indexes of events with a name, one with a key: a condition with OR would use neither.
 */
export function firstEventBefore(): Prisma.Sql {
  const firstOf = (key: Prisma.Sql): Prisma.Sql => Prisma.sql`
          SELECT v.id, octet_length(v.data)::float8 AS bytes FROM events v
          WHERE ${key} AND v.workspace_id = w.workspace_id AND v.name = w.event_name
            AND v.received_at >= ${LOOKS_BACK_TO} AND ${ENDS_WAIT}
          ORDER BY v.received_at, v.id LIMIT 1`;
  return Prisma.sql`
          (${firstOf(Prisma.sql`w.event_key <> '' AND v.key = w.event_key`)})
          UNION ALL
          (${firstOf(Prisma.sql`w.event_key = ''`)})
          LIMIT 1`;
}

/** Maximum number of waits that one transaction ends, and of bytes of events that it copies into them. */
export const MAX_WAITS = 1_000;
export const MAX_BYTES = 16 * 1_048_576;
