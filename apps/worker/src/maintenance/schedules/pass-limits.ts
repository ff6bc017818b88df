import type { MoveVerdict, ScheduleHold, ScheduleMove } from '@deckhand/db';
import type { CountExecution } from '@deckhand/queue';

/** How long a schedule waits for a limit that does not say how long, in ms. */
const HOLD_MS = 60_000;
/** How long one waits for a run of its own to end before it looks again, in ms. */
const OVERLAP_HOLD_MS = 5_000;
/** How long one waits whose workspace's limit was changed while its run was counted, in ms. */
const COUNT_AGAIN_MS = 1_000;

/** A move whose run was not let in. */
export interface RefusedMove {
  readonly move: ScheduleMove;
  readonly verdict: Exclude<MoveVerdict, 'moved' | 'elsewhere'>;
}

/** What is to become of refused moves. */
export interface PassedLimits {
  /** To be tried again: their runs are counted now. */
  readonly counted: ScheduleMove[];
  /** To wait. */
  readonly holds: ScheduleHold[];
}

/**
 * Counts the runs of workspaces with a limit, and lets those wait that are not let in: a limit delays a run, it does
 * not lose it.
 * @param now ms since the epoch.
 */
export async function passLimits(
  refused: readonly RefusedMove[],
  { countExecution, now }: { countExecution: CountExecution; now: number },
): Promise<PassedLimits> {
  const counted: ScheduleMove[] = [];
  const holds: ScheduleHold[] = [];
  for (const { move, verdict } of refused) {
    const { schedule, run } = move;
    if (typeof verdict === 'string' || !run) {
      holds.push(holdBack({ move, verdict }, now));
      continue;
    }
    const { workspaceId, executionsPerMinute } = verdict;
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

/** Lets a move wait without counting its run. @param now ms since the epoch. */
export function holdBack({ move: { schedule }, verdict }: RefusedMove, now: number): ScheduleHold {
  if (typeof verdict !== 'string') {
    return { schedule, by: 'workspace_rate_limited', until: new Date(now + COUNT_AGAIN_MS) };
  }
  if (verdict === 'overlaps') {
    return { schedule, by: 'SCHEDULE_OVERLAP', until: new Date(now + OVERLAP_HOLD_MS) };
  }
  const by = verdict === 'overQuota' ? 'workspace_over_quota' : 'INVALID_STATE';
  return { schedule, by, until: new Date(now + HOLD_MS) };
}
