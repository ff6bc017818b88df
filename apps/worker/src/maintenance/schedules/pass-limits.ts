import type { FireRefusal, ScheduleHold, ScheduleMove } from '@deckhand/db';
import type { CountExecution } from '@deckhand/queue';

/** How long a schedule waits for a limit that has no end time, in ms. */
const HOLD_MS = 60_000;
/** How long a schedule waits for one of its own runs to end, before it is checked again, in ms. */
const OVERLAP_HOLD_MS = 5_000;
/** How long a schedule waits if the limit of its workspace changed while its run was counted, in ms. */
const COUNT_AGAIN_MS = 1_000;
/** How long a schedule waits whose run would have waited for a lock of its key, in ms. */
const BUSY_HOLD_MS = 1_000;

/** A move whose run was refused. */
export interface RefusedMove {
  readonly move: ScheduleMove;
  readonly refusal: FireRefusal;
}

/** Refused moves, by what happens next. */
export interface PassedLimits {
  /** To be tried again, because their runs are counted now. */
  readonly counted: ScheduleMove[];
  /** To be delayed. */
  readonly holds: ScheduleHold[];
}

/**
 * Counts the runs of workspaces with a limit, and delays those above the limit: a limit delays a run and never loses
 * it.
 * @param now ms since the epoch.
 */
export async function passLimits(
  refused: readonly RefusedMove[],
  { countExecution, now }: { countExecution: CountExecution; now: number },
): Promise<PassedLimits> {
  const counted: ScheduleMove[] = [];
  const holds: ScheduleHold[] = [];
  for (const { move, refusal } of refused) {
    const { schedule, run } = move;
    if (refusal.kind !== 'notCounted' || !run) {
      holds.push(holdBack({ move, refusal }, now));
      continue;
    }
    const { workspaceId, executionsPerMinute } = refusal;
    const seconds = await countExecution(workspaceId, executionsPerMinute);
    if (seconds === null) {
      const request = { ...run.request, countedUnder: executionsPerMinute };
      counted.push({ ...move, run: { ...run, request } });
    } else {
      holds.push({ schedule, by: 'workspace_rate_limited', until: new Date(now + seconds * 1_000) });
    }
  }
  return { counted, holds };
}

/** Delays a move without counting its run. @param now ms since the epoch. */
export function holdBack({ move: { schedule }, refusal }: RefusedMove, now: number): ScheduleHold {
  const after = (ms: number): Date => new Date(now + ms);
  switch (refusal.kind) {
    case 'notCounted':
      return { schedule, by: 'workspace_rate_limited', until: after(COUNT_AGAIN_MS) };
    case 'overlaps':
      return { schedule, by: 'SCHEDULE_OVERLAP', until: after(OVERLAP_HOLD_MS) };
    case 'busy':
      return { schedule, by: 'SERVICE_UNAVAILABLE', until: after(BUSY_HOLD_MS) };
    case 'overQuota':
      return { schedule, by: 'workspace_over_quota', until: after(HOLD_MS) };
    default:
      return { schedule, by: 'INVALID_STATE', until: after(HOLD_MS) };
  }
}
