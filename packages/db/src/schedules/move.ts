import { concurrencyOf, hasKey } from '@deckhand/contracts';
import { type Database, Prisma, type Queryable } from '../client.ts';
import {
  type Busy,
  createBusyKeys,
  type KeyedStart,
  type KeyedVerdict,
  startInTransaction,
  startWithinKey,
} from '../concurrency/keys.ts';
import { admitted, insertion, toVerdict, verdictColumns, type VerdictRow } from '../executions/start/admission.ts';
import { type Counted, settleStarts, type StartLimits, type Unsettled } from '../executions/start/settle-starts.ts';
import type { InvalidInput, RateLimited, StartRefusal, StartRequest } from '../executions/start/start-request.ts';
import { isUnfinished } from '../executions/run-status.ts';
import type { ScheduleRule } from './sync.ts';

/** A schedule with a time that is due. */
export interface DueSchedule extends ScheduleRule {
  readonly workspaceId: string;
  readonly workflowId: string;
  readonly nodeId: string;
  readonly workflowVersionId: string;
  readonly catchUp: boolean;
  /** The time that is due. */
  readonly nextFireAt: Date;
  /** Whether a limit has delayed its run. */
  readonly isHeld: boolean;
  /** Serialised `StartOptions` of its runs; null without any. */
  readonly options: string | null;
}

/** Returns the schedules whose next check is due, those that have waited longest first. */
export function findDueSchedules(db: Database, now: Date, limit: number): Promise<DueSchedule[]> {
  // Served by the index on look_at.
  return db.$queryRaw<DueSchedule[]>`/* schedules.find-due */
    SELECT w.workspace_id AS "workspaceId", workflow_id AS "workflowId", node_id AS "nodeId", workflow_version_id AS "workflowVersionId", cron, timezone,
      catch_up AS "catchUp", next_fire_at AS "nextFireAt", held_by IS NOT NULL AS "isHeld", start_options AS options
    FROM schedules JOIN workflows w ON w.id = workflow_id WHERE look_at <= ${now}::timestamptz AND next_fire_at IS NOT NULL AND paused_at IS NULL
    ORDER BY look_at LIMIT ${limit}`;
}

/** Returns when the next check of a schedule is due; null if there is none. */
export async function findNextCheck(db: Database): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ at: Date | null }[]>`/* schedules.find-next-look */
    SELECT min(look_at) AS at FROM schedules`;
  return row?.at ?? null;
}

/** A schedule whose time is due, and the time to move it to. */
export interface ScheduleMove {
  readonly schedule: DueSchedule;
  /** The time to move it to. */
  readonly nextFireAt: Date;
  /** The time of its run, and the run; both null when the time was missed. */
  readonly fireAt: Date | null;
  readonly request: StartRequest | null;
}

/** The run of a schedule could not start. `overlaps`: the schedule has as many unfinished runs as it may have. */
export type FireRefusal = StartRefusal | RateLimited | InvalidInput | Busy | { readonly kind: 'overlaps' };

/** The schedule was moved to its next time. */
export interface Moved {
  readonly kind: 'moved';
  /** Whether its run was left out, because the concurrency limit of its key is reached. */
  readonly isLeftOut?: boolean;
  /** What a limit by a key did; undefined for a run without one. */
  readonly underKey?: KeyedStart;
}

/** `elsewhere`: another process moved, changed or locked the schedule. Only `moved` has written anything. */
export type MoveOutcome = FireRefusal | Moved | { readonly kind: 'elsewhere' };

type MoveVerdict = Exclude<MoveOutcome, RateLimited> | Unsettled;

type Move = Omit<ScheduleMove, 'request'> & { readonly request: Counted<StartRequest> | null };

interface Row extends Omit<VerdictRow, 'verdict'> {
  readonly index: number;
  readonly verdict: VerdictRow['verdict'] | null;
  readonly isMoved: boolean;
  readonly overlaps: boolean;
}

/** How long the start of a run waits for a lock of its key, in ms: the schedules behind it wait, too. */
const MAX_LOCK_WAIT_MS = 100;

/**
 * Moves schedules to their next times and starts their runs: those with a limit by a key one by one, all others in one
 * statement. Where a limit rejects the run, the time passes without one. A schedule whose key is locked for long is not
 * moved, nor are those behind it with this key.
 * @returns an outcome for each move, in their order.
 */
export function moveSchedules(
  db: Database,
  moves: readonly ScheduleMove[],
  limits: StartLimits,
): Promise<MoveOutcome[]> {
  const unlessBusy = createBusyKeys();
  const write = async (batch: readonly Move[]): Promise<MoveVerdict[]> => {
    const plain = batch.filter(({ request }) => !hasKey(request?.options));
    const together = plain.length === 0 ? [] : await moveAll(db, plain);
    const verdicts: MoveVerdict[] = [];
    for (const move of batch) {
      const { request } = move;
      const verdict =
        request && hasKey(request.options)
          ? await unlessBusy(request, () => moveKeyed(db, move, request))
          : together.shift();
      verdicts.push(verdict ?? { kind: 'elsewhere' });
    }
    return verdicts;
  };
  return settleStarts<Move, Exclude<MoveVerdict, Unsettled>>(moves, write, limits);
}

async function moveOne(db: Queryable, move: Move): Promise<MoveVerdict> {
  const [verdict] = await moveAll(db, [move]);
  return verdict ?? { kind: 'elsewhere' };
}

async function moveKeyed(db: Database, move: Move, request: StartRequest): Promise<MoveVerdict> {
  const { executionId, workflowId, options } = request;
  const concurrency = concurrencyOf(options);
  if (!concurrency) return moveOne(db, move);
  const run = { executionId, workflowId, concurrency };
  const start = (tx: Queryable): Promise<KeyedVerdict<MoveVerdict>> =>
    startWithinKey(
      tx,
      run,
      () => moveOne(tx, move),
      ({ kind }) => kind === 'moved',
    );
  const result = await startInTransaction(db, start, MAX_LOCK_WAIT_MS);
  if (result.kind === 'refused') return result.verdict;
  if (result.kind === 'accepted') return { kind: 'moved', underKey: result.start };
  const verdict = await moveOne(db, { ...move, request: null });
  return verdict.kind === 'moved' ? { kind: 'moved', isLeftOut: true } : verdict;
}

/**
 * Moves schedules to their next times and starts their runs, in one statement: either both happen or neither.
 *
 * The races it excludes: two processes that fire the same time (the second finds that the time has moved); a workflow
 * that is deactivated or gets another active version, and a schedule that is paused, in the meantime (the row is gone,
 * has no time or has another version). Rows that are locked are left for the next pass, so that this statement never
 * waits and cannot deadlock.
 * @returns a verdict for each move, in their order.
 */
async function moveAll(db: Queryable, moves: readonly Move[]): Promise<MoveVerdict[]> {
  const runs = moves.flatMap(({ request }) => request ?? []);
  const rows = await db.$queryRaw<Row[]>(Prisma.sql`/* schedules.move */
    WITH admitted AS (${admitted(runs)}), wanted AS (
      SELECT * FROM unnest(
        ${moves.map(({ schedule }) => schedule.workflowId)}::uuid[],
        ${moves.map(({ schedule }) => schedule.nodeId)}::text[],
        ${moves.map(({ schedule }) => schedule.workflowVersionId)}::uuid[],
        ${moves.map(({ schedule }) => schedule.nextFireAt)}::timestamptz[],
        ${moves.map(({ nextFireAt }) => nextFireAt)}::timestamptz[],
        ${moves.map(({ request, fireAt }) => (request ? fireAt : null))}::timestamptz[],
        ${moves.map(({ request }) => request?.executionId ?? null)}::uuid[]
      ) WITH ORDINALITY AS m (workflow_id, node_id, version_id, due_at, next_fire_at, fire_at, execution_id, index)
    ), overlapping AS (
      -- Served by executions_scheduled.
      SELECT m.index FROM wanted m JOIN schedules s ON s.workflow_id = m.workflow_id AND s.node_id = m.node_id
      WHERE m.execution_id IS NOT NULL AND s.max_overlap <= (
        SELECT count(*) FROM (
          SELECT 1 FROM executions e
          WHERE e.workflow_id = s.workflow_id AND e.trigger_node_id = s.node_id AND e.source = 'schedule' AND ${isUnfinished()}
          LIMIT s.max_overlap
        ) unfinished
      )
    ), held AS (
      SELECT m.* FROM wanted m JOIN schedules s ON s.workflow_id = m.workflow_id AND s.node_id = m.node_id
      WHERE s.next_fire_at = m.due_at AND s.workflow_version_id = m.version_id AND s.paused_at IS NULL
        AND m.index NOT IN (SELECT index FROM overlapping)
        AND NOT EXISTS (SELECT 1 FROM admitted a WHERE a.id = m.execution_id AND a.verdict <> 'accepted')
      FOR UPDATE OF s SKIP LOCKED
    ), moved AS (
      UPDATE schedules s
      SET next_fire_at = h.next_fire_at, look_at = h.next_fire_at, held_by = NULL,
          last_fire_at = coalesce(h.fire_at, s.last_fire_at),
          last_execution_id = coalesce(h.execution_id, s.last_execution_id)
      FROM held h WHERE s.workflow_id = h.workflow_id AND s.node_id = h.node_id
        AND s.next_fire_at = h.due_at AND s.workflow_version_id = h.version_id
      RETURNING h.index, h.execution_id
    ), ${insertion(Prisma.sql`id IN (SELECT execution_id FROM moved)`)}
    SELECT m.index::int AS index, EXISTS (SELECT 1 FROM moved WHERE moved.index = m.index) AS "isMoved",
      m.index IN (SELECT index FROM overlapping) AS overlaps, ${verdictColumns}
    FROM wanted m LEFT JOIN admitted a ON a.id = m.execution_id ORDER BY m.index`);
  return rows.map(({ isMoved, overlaps, verdict, ...row }) => {
    if (isMoved) return { kind: 'moved' };
    if (verdict === null) return { kind: 'elsewhere' };
    const found = toVerdict({ verdict, ...row });
    if (found.kind !== 'accepted') return found;
    return { kind: overlaps ? 'overlaps' : 'elsewhere' };
  });
}

/** A schedule whose run is delayed. */
export interface ScheduleHold {
  readonly schedule: DueSchedule;
  /** Error code of the reason. */
  readonly by: string;
  /** When to try again. */
  readonly until: Date;
}

/**
 * Delays schedules, with their due times, unless another process moved or locked them in the meantime. @returns how
 * many.
 */
export function holdSchedules(db: Database, holds: readonly ScheduleHold[]): Promise<number> {
  return db.$executeRaw`/* schedules.hold */
    WITH h AS (
      SELECT h.* FROM unnest(
        ${holds.map(({ schedule }) => schedule.workflowId)}::uuid[],
        ${holds.map(({ schedule }) => schedule.nodeId)}::text[],
        ${holds.map(({ schedule }) => schedule.nextFireAt)}::timestamptz[],
        ${holds.map(({ until }) => until)}::timestamptz[],
        ${holds.map(({ by }) => by)}::text[]
      ) AS h (workflow_id, node_id, due_at, until, by)
      JOIN schedules s ON s.workflow_id = h.workflow_id AND s.node_id = h.node_id AND s.next_fire_at = h.due_at
      FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE schedules s SET look_at = h.until, held_by = h.by
    FROM h WHERE s.workflow_id = h.workflow_id AND s.node_id = h.node_id AND s.next_fire_at = h.due_at`;
}
