import type { DispatchedExecution, DueSchedule, MoveVerdict, ScheduleHold, ScheduleMove } from '@deckhand/db';
import type { CountExecution } from '@deckhand/queue';
import type { Logger } from '@deckhand/runtime';
import { holdBack, passLimits, type RefusedMove } from './pass-limits.js';
import { toScheduleMove } from './schedule-move.js';

/** Schedules moved by one statement at most. */
const BATCH = 500;

/** What firing stands on. Whatever it changes is a conditional write: two at once, or a late one, fire nothing twice. */
export interface FiringParts {
  /** False while another worker is the one to fire. */
  readonly holdLease: () => Promise<boolean>;
  readonly findDue: (now: Date, limit: number) => Promise<DueSchedule[]>;
  readonly findNextLook: () => Promise<Date | null>;
  readonly move: (moves: readonly ScheduleMove[]) => Promise<MoveVerdict[]>;
  readonly hold: (holds: readonly ScheduleHold[]) => Promise<void>;
  readonly countExecution: CountExecution;
  /** Told of each run that was started, and how long after its time, in seconds. */
  readonly onStarted: (lateSeconds: number) => void;
  readonly addJobs: (runs: readonly DispatchedExecution[]) => Promise<void>;
  readonly logger: Logger;
  /** The time by which schedules are due, in ms since the epoch. */
  readonly now: () => number;
}

/**
 * Fires what is due, if this worker is the one to: one run for each time, dispatched like any other.
 * @returns when the next schedule is due, in ms since the epoch; null without any, and while another worker is the one.
 */
export async function fireSchedules(parts: FiringParts): Promise<number | null> {
  if (!(await parts.holdLease())) return null;
  for (;;) {
    const due = await parts.findDue(new Date(parts.now()), BATCH);
    // What could not be moved now somebody else holds: it has its turn in the next look.
    if (due.length === 0 || (await fireBatch(parts, due)) === 0) break;
  }
  return (await parts.findNextLook())?.getTime() ?? null;
}

/** @returns how many of the schedules got on: to their next time, or to wait for a limit. */
async function fireBatch(parts: FiringParts, due: readonly DueSchedule[]): Promise<number> {
  const now = parts.now();
  const first = await moveAll(
    parts,
    due.map((schedule) => toScheduleMove(schedule, now)),
  );
  const { counted, holds } = await passLimits(first.refused, { countExecution: parts.countExecution, now });
  const second = await moveAll(parts, counted);
  holds.push(...second.refused.map((refused) => holdBack(refused, now)));
  if (holds.length > 0) {
    parts.logger.info({ schedules: holds.length, by: holds[0]?.by }, 'limits hold runs of schedules back');
    await parts.hold(holds);
  }
  return first.moved + second.moved + holds.length;
}

/** Moves schedules on and queues their runs. */
async function moveAll(
  parts: FiringParts,
  moves: readonly ScheduleMove[],
): Promise<{ moved: number; refused: RefusedMove[] }> {
  if (moves.length === 0) return { moved: 0, refused: [] };
  const verdicts = await parts.move(moves);
  const moved = moves.filter((_, index) => verdicts[index] === 'moved');
  const runs = moved.flatMap(({ schedule: { workspaceId }, run }) =>
    run ? [{ workspaceId, executionId: run.request.executionId, dispatch: 1 }] : [],
  );
  const now = parts.now();
  for (const { run } of moved) if (run) parts.onStarted(Math.max(0, now - run.at.getTime()) / 1_000);
  // Should this fail, the reconciler finds the runs without jobs.
  await parts.addJobs(runs).catch((err: unknown) => {
    parts.logger.warn({ err, runs: runs.length }, 'runs of schedules could not be queued yet');
  });
  const refused = moves.flatMap((move, index) => {
    const verdict = verdicts[index];
    return verdict === undefined || verdict === 'moved' || verdict === 'elsewhere' ? [] : [{ move, verdict }];
  });
  return { moved: moved.length, refused };
}
