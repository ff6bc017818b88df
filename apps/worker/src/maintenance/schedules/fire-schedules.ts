import { priorityOf } from '@deckhand/contracts';
import {
  type DispatchedExecution,
  type DueSchedule,
  isRowError,
  isStoreUnavailable,
  type MoveVerdict,
  type ScheduleHold,
  type ScheduleMove,
} from '@deckhand/db';
import type { CountExecution } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { actOnRows } from '../act-on-rows.ts';
import { holdBack, passLimits, type RefusedMove } from './pass-limits.ts';
import { toScheduleMove } from './schedule-move.ts';

/** Maximum number of schedules that one statement moves. */
const BATCH = 500;
/** Delay of a schedule whose own values or rule cause the error, in ms. */
const BAD_ROW_HOLD_MS = 60_000;
/** Delay after any other error, which may have another cause, in ms. */
const RETRY_HOLD_MS = 2_000;

/**
 * Dependencies of the firing. All changes are conditional writes: two firings at once, or a late one, fire nothing
 * twice.
 */
export interface FiringParts {
  /** False if another worker holds the maintenance lease. */
  readonly hasLease: () => Promise<boolean>;
  readonly findDue: (now: Date, limit: number) => Promise<DueSchedule[]>;
  readonly findNextCheck: () => Promise<Date | null>;
  readonly move: (moves: readonly ScheduleMove[]) => Promise<MoveVerdict[]>;
  readonly hold: (holds: readonly ScheduleHold[]) => Promise<number>;
  readonly countExecution: CountExecution;
  /** Called for each run that was started, with its delay after the due time, in seconds. */
  readonly onStarted: (lateSeconds: number) => void;
  /** Called for a schedule that could not be fired and is delayed. */
  readonly onBadRow: (schedule: DueSchedule, error: unknown) => void;
  /** Called for runs that were stopped for a started one. */
  readonly onStopped: (executionIds: readonly string[]) => Promise<void>;
  readonly addJobs: (runs: readonly DispatchedExecution[]) => Promise<void>;
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
  const first = await moveAll(parts, moves, onBadRow);
  const { counted, holds } = await passLimits(first.refused, { countExecution: parts.countExecution, now });
  const second = await moveAll(parts, counted, onBadRow);
  holds.push(...second.refused.map((refused) => holdBack(refused, now)), ...bad);
  if (holds.length === 0) return first.moved + second.moved;
  parts.logger.info({ schedules: holds.length, by: holds[0]?.by }, 'limits hold runs of schedules back');
  return first.moved + second.moved + (await parts.hold(holds));
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

/** Moves schedules to their next times and queues their runs. */
async function moveAll(
  parts: FiringParts,
  moves: readonly ScheduleMove[],
  onBadRow: (schedule: DueSchedule, error: unknown) => void,
): Promise<{ moved: number; refused: RefusedMove[] }> {
  const results: { readonly move: ScheduleMove; readonly verdict: MoveVerdict | undefined }[] = [];
  await actOnRows(
    moves,
    {
      async act(batch) {
        const verdicts = await parts.move(batch);
        return batch.map((move, index) => ({ move, verdict: verdicts[index] }));
      },
      isUnavailable: isStoreUnavailable,
      onBadRow: ({ schedule }, error) => onBadRow(schedule, error),
    },
    (ofBatch) => results.push(...ofBatch),
  );
  const moved = results.flatMap(({ move, verdict }) => (verdict?.kind === 'moved' ? [{ ...move, ...verdict }] : []));
  const runs = moved.flatMap(({ schedule: { workspaceId }, run, isLeftOut, underKey }) => {
    if (!run || isLeftOut === true) return [];
    const { executionId, options } = run.request;
    return underKey?.dispatched ?? [{ workspaceId, executionId, dispatch: 1, priority: priorityOf(options) }];
  });
  const now = parts.now();
  for (const { run, isLeftOut } of moved)
    if (run && isLeftOut !== true) parts.onStarted(Math.max(0, now - run.at.getTime()) / 1_000);
  await parts.onStopped(moved.flatMap(({ underKey }) => underKey?.stopped ?? []));
  // If this fails, maintenance finds the runs without jobs.
  await parts.addJobs(runs).catch((err: unknown) => {
    parts.logger.warn({ err, runs: runs.length }, 'runs of schedules could not be queued yet');
  });
  const refused = results.flatMap(({ move, verdict }) => {
    if (verdict === undefined || verdict.kind === 'moved' || verdict.kind === 'elsewhere') return [];
    return [{ move, refusal: verdict }];
  });
  return { moved: moved.length, refused };
}
