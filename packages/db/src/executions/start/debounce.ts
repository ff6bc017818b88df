import { type Debounce, fileIdsIn, MAX_DELAY_SECONDS, parseOwnJson, type RequestOptions } from '@deckhand/contracts';
import { type Database, Prisma, type Queryable } from '../../client.ts';
import { lockNames } from '../../advisory-locks.ts';
import { nameFiles } from '../../files.ts';
import { admitted, isAccepted, type OnceVerdict, OPTION_COLUMNS, optionBytes, optionValues } from './admission.ts';
import type { Counted } from './settle-starts.ts';
import type { Accepted, StartRequest } from './start-request.ts';

type Request = Counted<StartRequest>;

/** A run that further starts of a key are joined with. */
interface PendingRun {
  readonly id: string;
  /** Until when starts are joined with it, with this one. With `trailing`, it begins then. */
  readonly until: Date;
  readonly isDelayed: boolean;
}

/**
 * Accepts a debounced start: it begins a run, or is joined with the run of an earlier start of its key. With
 * `trailing`, that run then has its input and options, and begins later.
 *
 * Races: starts at once lock the key and read its run in a later statement. A run that is about to begin is locked,
 * too: either it still waits, and `wakeDueRuns` passes over it and later finds its new time, or it was woken, and the
 * start begins another.
 * @param write decides as for any other start, so a repeated idempotency key wins over debouncing. It writes a run,
 * unless it gets one that the start is joined with.
 */
export async function joinPending(
  tx: Queryable,
  request: Request,
  debounce: Debounce,
  write: (planned: Request, into: string | undefined) => Promise<OnceVerdict>,
): Promise<OnceVerdict> {
  const { workflowId } = request;
  await lockNames(tx, [`debounce of ${workflowId} ${debounce.key}`]);
  const done = await findDone(tx, request);
  if (done) return done;
  const pending = await findPending(tx, workflowId, debounce);
  const planned = debounce.mode === 'leading' ? request : startingAt(request, debounce, pending?.until);
  const verdict = await write(planned, pending?.id);
  if (!isAccepted(verdict)) return verdict;
  await markDone(tx, request);
  if (!pending) {
    await beginKey(tx, request, debounce);
    return verdict;
  }
  const { id, until, isDelayed } = pending;
  if (debounce.mode !== 'leading') {
    // The version that was admitted, whose schema the input fits: another one may have been saved since.
    const versionId = verdict.run?.workflowVersionId ?? planned.versionId;
    await replace(tx, id, {
      ...planned,
      versionId,
      isActiveVersion: versionId === undefined && planned.isActiveVersion,
    });
  }
  await tx.$executeRaw(Prisma.sql`/* debounces.extend */
    UPDATE debounces SET until = ${until}::timestamptz
    WHERE workflow_id = ${workflowId}::uuid AND key = ${debounce.key}`);
  // A start whose response was lost finds its own run.
  return id === request.executionId ? verdict : { ...verdict, run: null, joined: { executionId: id, isDelayed } };
}

/**
 * Finds out whether the start of an incoming event is committed already. It may have been joined with a run that has
 * begun since, and that nobody could find. The row of the event is locked, so that two processes that match it act one
 * after the other.
 */
async function findDone(tx: Queryable, { executionId, ofEvent }: Request): Promise<Accepted | undefined> {
  if (ofEvent === undefined) return undefined;
  const [event] = await tx.$queryRaw<{ workspaceId: string; isDone: boolean }[]>(Prisma.sql`/* debounces.find-done */
    SELECT v.workspace_id AS "workspaceId",
      v.matched_at IS NOT NULL OR ${executionId}::uuid = ANY (v.debounced_starts) AS "isDone"
    FROM events v WHERE v.id = ${ofEvent}::uuid FOR UPDATE`);
  if (!event?.isDone) return undefined;
  return { kind: 'accepted', workspaceId: event.workspaceId, run: null, joined: { executionId, isDelayed: true } };
}

async function markDone(tx: Queryable, { executionId, ofEvent }: Request): Promise<void> {
  if (ofEvent === undefined) return;
  await tx.$executeRaw(Prisma.sql`/* debounces.mark-done */
    UPDATE events SET debounced_starts = debounced_starts || ${executionId}::uuid WHERE id = ${ofEvent}::uuid`);
}

/** Deletes keys whose runs no further start is joined with. @returns how many. */
export function pruneDebounces(db: Database, limit: number): Promise<number> {
  return db.$executeRaw(Prisma.sql`/* debounces.prune */
    DELETE FROM debounces WHERE (workflow_id, key) IN (
      SELECT workflow_id, key FROM debounces WHERE until < now() - interval '1 hour'
      ORDER BY until LIMIT ${limit} FOR UPDATE SKIP LOCKED)`);
}

/** Finds the run of a key that a start is joined with, and locks one that has not begun. Follows primary keys. */
async function findPending(
  tx: Queryable,
  workflowId: string,
  { key, delay, maxDelay = MAX_DELAY_SECONDS, mode }: Debounce,
): Promise<PendingRun | undefined> {
  const inSeconds = (seconds: number): Prisma.Sql => Prisma.sql`${seconds}::float8 * interval '1 second'`;
  const waits = Prisma.sql`(e.status = 'pending' AND e.started_at IS NULL AND e.worker_id IS NULL AND e.wake_at > now())`;
  const isJoined = mode === 'leading' ? Prisma.sql`d.until > now()` : waits;
  // The run never begins earlier than it was to begin.
  const [pending] = await tx.$queryRaw<PendingRun[]>(Prisma.sql`/* debounces.find-pending */
    SELECT e.id, coalesce(${waits}, false) AS "isDelayed",
      greatest(d.until, least(now() + ${inSeconds(delay)}, d.first_at + ${inSeconds(maxDelay)}))::timestamptz(3) AS until
    FROM debounces d JOIN executions e ON e.id = d.execution_id
    WHERE d.workflow_id = ${workflowId}::uuid AND d.key = ${key} AND ${isJoined}
    FOR UPDATE OF e`);
  return pending;
}

/** Returns a request whose run begins at the time, or without one after the delay. */
function startingAt(request: Request, { delay }: Debounce, until: Date | undefined): Request {
  const options = request.options === undefined ? {} : parseOwnJson<RequestOptions>(request.options);
  return { ...request, options: JSON.stringify({ ...options, ...(until ? { startAt: until } : { delay }) }) };
}

async function beginKey(tx: Queryable, { workflowId, executionId }: Request, { key, delay }: Debounce) {
  await tx.$executeRaw(Prisma.sql`/* debounces.begin */
    INSERT INTO debounces (workflow_id, key, execution_id, first_at, until)
    VALUES (${workflowId}::uuid, ${key}, ${executionId}::uuid, now(), now() + ${delay}::float8 * interval '1 second')
    ON CONFLICT (workflow_id, key) DO UPDATE
    SET execution_id = EXCLUDED.execution_id, first_at = EXCLUDED.first_at, until = EXCLUDED.until`);
}

/** Gives a run that has not begun, and that this transaction has locked, the data of a later start. */
async function replace(tx: Queryable, id: string, request: Request): Promise<void> {
  const options = Prisma.sql`a.options`;
  await tx.$executeRaw(Prisma.sql`/* debounces.replace */
    WITH admitted AS (${admitted([request])}), before AS (
      SELECT stored_bytes FROM executions e WHERE e.id = ${id}::uuid
    ), replaced AS (
      UPDATE executions e
      SET workflow_version_id = a.version_id, execution_mode = a.mode, trigger_node_id = a.start_node_id,
          trigger_data = a.trigger_data, deadline_at = a.deadline_at, time_left_ms = a.time_left_ms,
          stored_bytes = octet_length(a.trigger_data) + ${optionBytes(options)}, trace_parent = a.trace_parent,
          started_by = a.user_id,
          joined_at = now(), revision = e.revision + 1, (${OPTION_COLUMNS}) = (SELECT ${optionValues(options)})
      FROM admitted a WHERE e.id = ${id}::uuid
      RETURNING e.workspace_id, e.stored_bytes
    )
    INSERT INTO storage_changes (workspace_id, bytes)
    SELECT r.workspace_id, r.stored_bytes - b.stored_bytes FROM replaced r, before b
    WHERE r.stored_bytes <> b.stored_bytes`);
  const files = fileIdsIn(request.triggerData);
  if (files.length > 0) await nameFiles(tx, id, files);
}
