import { setTimeout as sleep } from 'node:timers/promises';
import { priorityOf } from '@deckhand/contracts';
import {
  type Database,
  type DueSchedule,
  findDueSchedules,
  findNextCheck,
  type FireRefusal,
  holdSchedules,
  isRowError,
  isStoreUnavailable,
  type MoveOutcome,
  moveSchedules,
  type ScheduleHold,
  type ScheduleMove,
} from '@deckhand/db';
import type { InputChecker } from '@deckhand/nodes';
import type { Logger } from '@deckhand/runtime';
import { type AnnouncingParts, announceStarts, type StartedRun } from '../../announce-runs.ts';
import { createStartLimits } from '../../start-limits.ts';
import { actOnRows } from '../act-on-rows.ts';
import { createAlarm } from '../alarm.ts';
import { toScheduleMove } from './plan-move.ts';

/** Maximum duration of a firing before the next one starts beside it, in ms. */
export const FIRING_LIMIT_MS = 10_000;
/** Maximum number of schedules that one statement moves. */
const BATCH = 500;
/** Delay of a schedule whose own values or rule cause the error, in ms. */
const BAD_ROW_HOLD_MS = 60_000;
/** Delay after any other error, which may have another cause, in ms. */
const RETRY_HOLD_MS = 2_000;
/** How long a schedule waits for a limit that has no end time, in ms. */
const LIMIT_HOLD_MS = 60_000;
/** How long a schedule waits for one of its own runs to end, before it is checked again, in ms. */
const OVERLAP_HOLD_MS = 5_000;
/** How long a schedule waits whose run would have waited for a lock of its key, in ms. */
const BUSY_HOLD_MS = 1_000;

/** What firing needs. */
export interface FiringOptions extends AnnouncingParts {
  readonly db: Database;
  readonly checkInput: InputChecker;
  /** Whether this worker holds the maintenance lease. */
  readonly hasLease: () => Promise<boolean>;
  /** Called for each run that was started, with its delay after the due time, in seconds. */
  readonly onStarted: (lateSeconds: number) => void;
  /** Called for a schedule that could not be fired and is delayed. */
  readonly onBadRow: (schedule: DueSchedule, error: unknown) => void;
  /** The database's time, in ms since the epoch. */
  readonly now: () => number;
}

/** Fires the schedules of the instance. */
export interface Firing {
  /** Fires the schedules that are due. If called during a firing, it checks again after it. */
  fire(): Promise<void>;
  close(): void;
}

/** Creates the firing of schedules. In addition to the calls of its periodic task, it fires at the next due time. */
export function createFiring(options: FiringOptions): Firing {
  const { db, logger, hasLease, onStarted, onBadRow, now } = options;
  const limits = createStartLimits(options);
  const parts = {
    hasLease,
    findDue: (at: Date, limit: number) => findDueSchedules(db, at, limit),
    findNextCheck: () => findNextCheck(db),
    move: (moves: Parameters<typeof moveSchedules>[1]) => moveSchedules(db, moves, limits),
    hold: (holds: Parameters<typeof holdSchedules>[1]) => holdSchedules(db, holds),
    onStarted,
    onBadRow,
    announce: (started: readonly StartedRun[]) => announceStarts(options, 'schedule', started),
    logger,
    now,
  };
  const alarm = createAlarm(() => {
    fire().catch((err: unknown) => logger.warn({ err }, 'failed to fire schedules, retrying'));
  }, now);
  let last: Promise<void> = Promise.resolve();

  /** A firing that hangs delays the next one by the maximum duration only: two at the same time fire nothing twice. */
  function fire(): Promise<void> {
    const before = last.catch(() => undefined);
    const waited = new AbortController();
    const patience = sleep(FIRING_LIMIT_MS, undefined, { signal: waited.signal }).catch(() => undefined);
    last = Promise.race([before, patience]).then(() => {
      waited.abort();
      return fireOnce();
    });
    return last;
  }

  async function fireOnce(): Promise<void> {
    const next = await fireSchedules(parts);
    // A due schedule that could not be fired is left to the next pass.
    if (next !== null && next > now()) alarm.set(next);
  }

  return {
    fire,
    close: () => {
      alarm.close();
    },
  };
}

/**
 * Dependencies of the firing. All changes are conditional writes: two firings at once, or a late one, fire nothing
 * twice.
 */
export interface FiringParts {
  /** False if another worker holds the maintenance lease. */
  readonly hasLease: () => Promise<boolean>;
  readonly findDue: (now: Date, limit: number) => Promise<DueSchedule[]>;
  readonly findNextCheck: () => Promise<Date | null>;
  readonly move: (moves: readonly ScheduleMove[]) => Promise<MoveOutcome[]>;
  readonly hold: (holds: readonly ScheduleHold[]) => Promise<number>;
  /** Called for each run that was started, with its delay after the due time, in seconds. */
  readonly onStarted: (lateSeconds: number) => void;
  /** Called for a schedule that could not be fired and is delayed. */
  readonly onBadRow: (schedule: DueSchedule, error: unknown) => void;
  /** Queues runs that were started. */
  readonly announce: (started: readonly StartedRun[]) => Promise<void>;
  readonly logger: Logger;
  /** The time that decides which schedules are due, in ms since the epoch. */
  readonly now: () => number;
}

/**
 * Fires the due schedules if this worker holds the lease: one run for each due time, dispatched like any other.
 * @returns when the next schedule is due, in ms since the epoch; null without any, and if another worker holds the
 * lease.
 */
export async function fireSchedules(parts: FiringParts): Promise<number | null> {
  if (!(await parts.hasLease())) return null;
  for (;;) {
    const due = await parts.findDue(new Date(parts.now()), BATCH);
    // A schedule that another process has locked is left to the next pass.
    if (due.length === 0 || (await fireBatch(parts, due)) === 0) break;
  }
  return (await parts.findNextCheck())?.getTime() ?? null;
}

/** @returns how many of the schedules changed: moved to their next time, or delayed by a limit. */
async function fireBatch(parts: FiringParts, due: readonly DueSchedule[]): Promise<number> {
  const now = parts.now();
  const bad: ScheduleHold[] = [];
  const holdBad = (schedule: DueSchedule, error: unknown, holdMs: number): void => {
    parts.onBadRow(schedule, error);
    bad.push({ schedule, by: 'INTERNAL', until: new Date(now + holdMs) });
  };
  const onBadRow = (schedule: DueSchedule, error: unknown): void =>
    holdBad(schedule, error, isRowError(error) ? BAD_ROW_HOLD_MS : RETRY_HOLD_MS);
  const moves = planAll(due, now, (schedule, error) => holdBad(schedule, error, BAD_ROW_HOLD_MS));
  const { moved, refused } = await moveAll(parts, moves, onBadRow);
  const holds = [...refused.map(({ move, refusal }) => toHold(move, refusal, now)), ...bad];
  if (holds.length === 0) return moved;
  parts.logger.info({ schedules: holds.length, by: holds[0]?.by }, 'held back runs of schedules because of limits');
  return moved + (await parts.hold(holds));
}

/** Plans the next times of schedules. A rule that cannot be parsed affects its own schedule only. */
function planAll(
  due: readonly DueSchedule[],
  now: number,
  onBadRow: (schedule: DueSchedule, error: unknown) => void,
): ScheduleMove[] {
  return due.flatMap((schedule) => {
    try {
      return [toScheduleMove(schedule, now)];
    } catch (error) {
      onBadRow(schedule, error);
      return [];
    }
  });
}

/** Delays a schedule: a limit delays a run and never loses it. @param now ms since the epoch. */
function toHold({ schedule }: ScheduleMove, refusal: FireRefusal, now: number): ScheduleHold {
  const hold = (by: string, ms: number): ScheduleHold => ({ schedule, by, until: new Date(now + ms) });
  switch (refusal.kind) {
    case 'rateLimited':
      return hold('workspace_rate_limited', refusal.count.resetSeconds * 1_000);
    case 'overlaps':
      return hold('SCHEDULE_OVERLAP', OVERLAP_HOLD_MS);
    case 'busy':
      return hold('SERVICE_UNAVAILABLE', BUSY_HOLD_MS);
    case 'overQuota':
      return hold('workspace_over_quota', LIMIT_HOLD_MS);
    default:
      return hold('INVALID_STATE', LIMIT_HOLD_MS);
  }
}

/** A move whose run was refused. */
interface RefusedMove {
  readonly move: ScheduleMove;
  readonly refusal: FireRefusal;
}

/** Moves schedules to their next times and queues their runs. */
async function moveAll(
  parts: FiringParts,
  moves: readonly ScheduleMove[],
  onBadRow: (schedule: DueSchedule, error: unknown) => void,
): Promise<{ moved: number; refused: RefusedMove[] }> {
  const results: { readonly move: ScheduleMove; readonly outcome: MoveOutcome | undefined }[] = [];
  await actOnRows(
    moves,
    {
      async act(batch) {
        const outcomes = await parts.move(batch);
        return batch.map((move, index) => ({ move, outcome: outcomes[index] }));
      },
      isUnavailable: isStoreUnavailable,
      onBadRow: ({ schedule }, error) => onBadRow(schedule, error),
    },
    (ofBatch) => results.push(...ofBatch),
  );
  const moved = results.flatMap(({ move, outcome }) => (outcome?.kind === 'moved' ? [{ ...move, ...outcome }] : []));
  const started = moved.flatMap(({ schedule: { workspaceId }, request, isLeftOut, underKey }) => {
    if (!request || isLeftOut === true) return [];
    const { executionId, options } = request;
    return { workspaceId, executionId, dispatch: 1, priority: priorityOf(options), underKey };
  });
  const now = parts.now();
  for (const { fireAt, isLeftOut } of moved)
    if (fireAt && isLeftOut !== true) parts.onStarted(Math.max(0, now - fireAt.getTime()) / 1_000);
  await parts.announce(started);
  const refused = results.flatMap(({ move, outcome }) => {
    if (outcome === undefined || outcome.kind === 'moved' || outcome.kind === 'elsewhere') return [];
    return [{ move, refusal: outcome }];
  });
  return { moved: moved.length, refused };
}
