import type { RunErrorCode } from '@deckhand/contracts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import { continueAnswered, isTimeUp, type WaitPlace } from '../executions/waits/end-waits.ts';
import type { ReleasedExecution } from '../executions/claim/release.ts';
import { isFinished } from '../executions/run-status.ts';
import { stopRunsById } from '../executions/end/stop.ts';
import { LOCK_FREE_RUNS, LOCK_RUNS } from '../lock-order.ts';
import { ENDS_WAIT, firstEventBefore, IS_OPEN, MAX_BYTES, MAX_WAITS, SEEN, STOPS_RUN } from './event.ts';

/** A wait that an event ends. */
interface EventEnd extends WaitPlace {
  readonly executionId: string;
  /** Null ends it without an answer, because its run is over. */
  readonly eventId: string | null;
}

/** The runs whose waits events have ended. */
export interface RunsOfEvents {
  /** Runs to be queued, or, without a dispatch, held by a worker that has to be notified. */
  readonly woken: readonly ReleasedExecution[];
  /** Ids of runs that were stopped: their workers have to be notified. */
  readonly stopped: readonly string[];
}

/** What became of the waits for some events. */
export interface EndedByEvents extends RunsOfEvents {
  /** Ids of the events for which no wait is left. */
  readonly whole: readonly string[];
  /** Whether others have waits left, beyond the limits of a transaction. */
  readonly isPartial: boolean;
}

interface LockedEvent {
  readonly id: string;
  readonly bytes: number;
  readonly hasEndedWaits: boolean;
}

interface FoundWait extends Omit<EventEnd, 'eventId'> {
  /** Of its event. */
  readonly index: number;
  readonly isOver: boolean;
  /** The first event for the wait, if the events before it have not been checked yet; otherwise null. */
  readonly firstId: string | null;
  readonly firstBytes: number | null;
}

/** A wait that a matched event ends, or an earlier one that came before the wait. */
interface MatchedEnd extends EventEnd {
  /** The id of the event that is matched. */
  readonly matchedId: string;
}

/**
 * Ends the waits for those of the given events that no other process is matching. Each event ends some, so that one
 * with very many waits does not hold up the others. Waits of runs that have ended are ended, too, so that no other
 * event finds them.
 */
export function endWaitsForEvents(db: Database, ids: readonly string[]): Promise<EndedByEvents> {
  return db.$transaction(async (tx) => {
    const events = await tx.$queryRaw<LockedEvent[]>(Prisma.sql`/* events.lock */
      SELECT v.id, octet_length(v.data)::float8 AS bytes, v.has_ended_waits AS "hasEndedWaits"
      FROM events v WHERE v.id = ANY (${[...ids]}::uuid[]) AND v.matched_at IS NULL
      ORDER BY v.id FOR UPDATE SKIP LOCKED`);
    const waited = events.filter(({ hasEndedWaits }) => !hasEndedWaits);
    if (waited.length === 0) return { woken: [], stopped: [], whole: events.map(({ id }) => id), isPartial: false };
    const perEvent = Math.max(2, Math.floor(MAX_WAITS / waited.length));
    const found = await findWaits(tx, waited, perEvent);
    const { ends, partial } = takeSome(found, waited, perEvent);
    const { passedOver, ...runs } = await endWaitsByEvents(tx, ends, LOCK_FREE_RUNS);
    const isLeft = new Set<EventEnd>(passedOver);
    const locked = new Set(ends.flatMap((end) => (isLeft.has(end) ? [end.matchedId] : [])));
    const hasProgress = new Set(ends.flatMap((end) => (isLeft.has(end) ? [] : [end.matchedId])));
    await delayLocked(
      tx,
      [...locked].filter((id) => !partial.has(id) || !hasProgress.has(id)),
    );
    return {
      ...runs,
      whole: events.flatMap(({ id }) => (partial.has(id) || locked.has(id) ? [] : [id])),
      isPartial: partial.size > 0,
    };
  });
}

/** Delays events, which this transaction has locked, until runs that others have locked may be free. */
async function delayLocked(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.$executeRaw(Prisma.sql`/* events.delay-locked */
    UPDATE events SET next_match_at = now() + interval '1 second' WHERE id = ANY (${[...ids]}::uuid[])`);
}

/**
 * Finds waits for events, with the first event for those that began after an event of theirs had been matched: it ends
 * them, and not the event that is matched now. One more than `perEvent` shows that there are others. The
 * first of each event come first.
 */
function findWaits(tx: Queryable, events: readonly LockedEvent[], perEvent: number): Promise<FoundWait[]> {
  // Served by waits_for_events; runs are joined by primary key.
  return tx.$queryRaw<FoundWait[]>(Prisma.sql`/* events.find-waits */
    SELECT g.index::int - 1 AS index, f.* FROM unnest(${events.map(({ id }) => id)}::uuid[]) WITH ORDINALITY AS g (id, index)
      JOIN events v ON v.id = g.id
      CROSS JOIN LATERAL (
        SELECT w.execution_id AS "executionId", w.node_id AS "nodeId", w.iteration, ${isFinished(Prisma.sql`x`)} AS "isOver",
          e.id AS "firstId", e.bytes AS "firstBytes"
        FROM waits w JOIN executions x ON x.id = w.execution_id
          LEFT JOIN LATERAL (${firstEventBefore()}
          ) e ON w.events_checked_at IS NULL
        WHERE w.workspace_id = v.workspace_id AND w.event_name = v.name AND w.event_key = ANY (ARRAY['', v.key])
          AND ${IS_OPEN} AND (${isFinished(Prisma.sql`x`)} OR ${ENDS_WAIT})
        LIMIT ${perEvent + 1}
      ) f
    ORDER BY row_number() OVER (PARTITION BY g.index), v.received_at, v.id`);
}

/** Chooses the waits that a transaction ends. @returns with `partial`, the ids of the events that have others. */
function takeSome(
  found: readonly FoundWait[],
  events: readonly LockedEvent[],
  perEvent: number,
): { ends: MatchedEnd[]; partial: ReadonlySet<string> } {
  const ends: MatchedEnd[] = [];
  const partial = new Set<string>();
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  let bytes = 0;
  for (const { index, isOver, firstId, firstBytes, ...place } of found) {
    const event = events[index];
    if (!event) continue;
    const count = (counts.get(event.id) ?? 0) + 1;
    counts.set(event.id, count);
    bytes += firstBytes ?? event.bytes;
    if (count > perEvent || (ends.length > 0 && bytes > MAX_BYTES)) {
      partial.add(event.id);
      continue;
    }
    // The first event ends the wait, and the others find it ended.
    const key = `${place.executionId} ${place.nodeId} ${place.iteration}`;
    if (!taken.has(key)) ends.push({ ...place, eventId: isOver ? null : (firstId ?? event.id), matchedId: event.id });
    taken.add(key);
  }
  return { ends, partial };
}

/**
 * Ends the new waits of the given runs for which an event has come already, by the first such event: some of each run,
 * so that one with very many does not hold up the others.
 * @param options.waitsForLocks whether to wait for runs that others have locked, or to leave them to a later call.
 */
export async function endNewWaits(
  db: Database,
  executionIds: readonly string[],
  { waitsForLocks = false }: { readonly waitsForLocks?: boolean } = {},
): Promise<RunsOfEvents> {
  const ids = [...new Set(executionIds)];
  const { ended, checked } = await db.$transaction(async (tx) => {
    const found = await tx.$queryRaw<
      (EventEnd & { readonly bytes: number | null })[]
    >(Prisma.sql`/* events.find-before */
      SELECT w.execution_id AS "executionId", w.node_id AS "nodeId", w.iteration, f.id AS "eventId", f.bytes
      FROM unnest(${ids}::uuid[]) AS g (id) JOIN executions x ON x.id = g.id
        CROSS JOIN LATERAL (
          SELECT w.* FROM waits w WHERE w.execution_id = x.id AND ${IS_OPEN} AND w.events_checked_at IS NULL
          ORDER BY w.node_id, w.iteration LIMIT ${Math.max(2, Math.floor(MAX_WAITS / Math.max(1, ids.length)))}
        ) w
        LEFT JOIN LATERAL (${firstEventBefore()}
        ) f ON true
      ORDER BY w.execution_id`);
    let bytes = 0;
    const fitting = found.filter((each, index) => (bytes += each.bytes ?? 0) <= MAX_BYTES || index === 0);
    const ends = fitting.flatMap(({ bytes: _, ...end }) => (end.eventId === null ? [] : [end]));
    const { passedOver: _, ...runs } = await endWaitsByEvents(tx, ends, waitsForLocks ? LOCK_RUNS : LOCK_FREE_RUNS);
    return { ended: runs, checked: fitting.filter(({ eventId }) => eventId === null) };
  });
  // In a transaction of its own, so that each locks waits by one statement. If it fails, they are checked again.
  if (checked.length > 0) await markChecked(db, checked);
  return ended;
}

/** The names of waits as the columns of `g`. */
function given(waits: readonly EventEnd[]): Prisma.Sql {
  return Prisma.sql`unnest(${waits.map(({ executionId }) => executionId)}::uuid[], ${waits.map(({ nodeId }) => nodeId)}::text[],
      ${waits.map(({ iteration }) => iteration)}::text[], ${waits.map(({ eventId }) => eventId)}::uuid[]
    ) AS g (execution_id, node_id, iteration, event_id)`;
}

/** Counts the copies of events as data of their runs, which are locked. */
async function countBytes(
  tx: Queryable,
  ended: readonly { readonly id: string; readonly bytes: number }[],
): Promise<void> {
  const given = ended.filter(({ bytes }) => bytes > 0);
  if (given.length === 0) return;
  await tx.$executeRaw(Prisma.sql`/* executions.count-answers */
    WITH given AS (
      SELECT id, sum(bytes)::bigint AS bytes
      FROM unnest(${given.map(({ id }) => id)}::uuid[], ${given.map(({ bytes }) => bytes)}::float8[]) AS g (id, bytes)
      GROUP BY id
    ), counted AS (
      UPDATE executions e SET stored_bytes = e.stored_bytes + g.bytes FROM given g WHERE e.id = g.id
      RETURNING e.workspace_id, g.bytes
    )
    INSERT INTO storage_changes (workspace_id, bytes) SELECT workspace_id, sum(bytes) FROM counted GROUP BY workspace_id`);
}

async function markChecked(db: Database, waits: readonly EventEnd[]): Promise<void> {
  await db.$executeRaw(Prisma.sql`/* events.mark-checked */
    UPDATE waits w SET events_checked_at = now()
    FROM (
      SELECT o.execution_id, o.node_id, o.iteration FROM waits o JOIN ${given(waits)} USING (execution_id, node_id, iteration)
      ORDER BY o.execution_id, o.node_id, o.iteration FOR UPDATE OF o SKIP LOCKED
    ) g
    WHERE w.execution_id = g.execution_id AND w.node_id = g.node_id AND w.iteration = g.iteration`);
}

/** The error of a run `e` that an event stops, as serialised JSON. Follows the primary keys of waits and events. */
const STOPPED_BY_EVENT = Prisma.sql`(
    SELECT json_build_object('message', 'the event ' || v.name || ' (' || v.event_id || ') stopped the run', 'nodeId', null,
      'code', ${'STOPPED_BY_EVENT' satisfies RunErrorCode}::text)::text
    FROM waits w JOIN events v ON v.id = w.event_id WHERE w.execution_id = e.id AND ${STOPS_RUN} ORDER BY w.iteration LIMIT 1)`;

/**
 * Ends waits by events, those of them that are still open: dispatches the runs that no worker holds, and stops those
 * that an event stops. Maintenance stops the runs that these started.
 *
 * Runs that others have locked are passed over: their waits stay as they are, for a later call.
 *
 * Race: another event, the time, or the run that cancels the wait, at once. Each requires the wait to be open, so the
 * second finds it ended. An event after the due time ends the wait as the time does. One that was deleted meanwhile
 * ends nothing.
 */
async function endWaitsByEvents(
  tx: Queryable,
  found: readonly EventEnd[],
  lock: Prisma.Sql,
): Promise<RunsOfEvents & { readonly passedOver: readonly EventEnd[] }> {
  const ids = found.map(({ executionId }) => executionId);
  const rows =
    found.length === 0
      ? []
      : await tx.$queryRaw<{ id: string }[]>(Prisma.sql`/* executions.lock-awaited */
          SELECT e.id FROM executions e WHERE e.id = ANY(${ids}::uuid[]) ${lock}`);
  const locked = new Set(rows.map(({ id }) => id));
  const passedOver = found.filter(({ executionId }) => !locked.has(executionId));
  const ends = found.filter(({ executionId }) => locked.has(executionId));
  if (ends.length === 0) return { woken: [], stopped: [], passedOver };
  const ended = await tx.$queryRaw<
    { id: string; isStop: boolean; bytes: number }[]
  >(Prisma.sql`/* executions.end-by-events */
    UPDATE waits w
    SET answered_at = statement_timestamp(), answer = CASE WHEN NOT ${isTimeUp} THEN open.answer END,
        event_id = CASE WHEN NOT ${isTimeUp} THEN open.event_id END
    FROM (
      SELECT o.execution_id, o.node_id, o.iteration, v.id AS event_id, CASE WHEN v.id IS NOT NULL THEN ${SEEN} END AS answer
      FROM waits o JOIN ${given(ends)} USING (execution_id, node_id, iteration) LEFT JOIN events v ON v.id = g.event_id
      WHERE o.answered_at IS NULL AND (g.event_id IS NULL OR v.id IS NOT NULL)
      ORDER BY o.execution_id, o.node_id, o.iteration FOR UPDATE OF o
    ) open
    WHERE w.execution_id = open.execution_id AND w.node_id = open.node_id AND w.iteration = open.iteration
    RETURNING w.execution_id AS id, ${STOPS_RUN} AS "isStop", coalesce(octet_length(w.answer), 0)::float8 AS bytes`);
  await countBytes(tx, ended);
  const toStop = ended.filter(({ isStop }) => isStop).map(({ id }) => id);
  const stopped = toStop.length === 0 ? [] : await stopRunsById(tx, [...new Set(toStop)], STOPPED_BY_EVENT);
  // A run that was stopped is finished, and not continued.
  const answered = ended.filter(({ isStop }) => !isStop).map(({ id }) => id);
  return { woken: await continueAnswered(tx, answered), stopped, passedOver };
}
