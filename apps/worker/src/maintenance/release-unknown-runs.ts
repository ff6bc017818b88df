import { findOwnedRuns, type OwnedRun, releaseExecutions } from '@deckhand/db';
import type { ActiveRuns } from '../session/active-runs.ts';
import type { PeriodicTask } from '../run-periodically.ts';
import { toQueued } from './finish-children.ts';
import type { MaintenanceContext } from './maintenance-context.ts';

/** In ms: long enough that a difference in two comparisons in a row is not a claim or an end in progress. */
const INTERVAL_MS = 2_000;
/** A worker that had no run for so long, in ms, is idle, and compares less often. */
const IDLE_AFTER_MS = 20_000;
const IDLE_INTERVAL_MS = 60_000;
const TIME_LIMIT_MS = 10_000;

/**
 * Creates the task that compares the runs which this worker holds according to the database with those in its memory. A
 * run that is missing in memory is released, so that another worker continues it; a run in memory that the worker no
 * longer holds is halted. Both only if two comparisons in a row find the same.
 */
export function createUnknownRunRelease(
  { db, queue, logger, metrics }: Pick<MaintenanceContext, 'db' | 'queue' | 'logger' | 'metrics'>,
  { workerId, active }: { readonly workerId: string; readonly active: Pick<ActiveRuns, 'has' | 'all' | 'size'> },
): PeriodicTask {
  /** Runs that were missing in memory in the last comparison: id → token of their claim. */
  let unknown = new Map<string, string>();
  /** Runs in memory that were not held in the last comparison. By identity, because a run may be claimed again. */
  let disowned = new Set<unknown>();
  let lastActiveAt = performance.now();
  let lastComparedAt = -Infinity;

  /** Returns whether the worker is idle and has compared a short time ago. */
  function maySkip(now: number): boolean {
    if (active.size > 0 || unknown.size > 0) lastActiveAt = now;
    return now - lastActiveAt > IDLE_AFTER_MS && now - lastComparedAt < IDLE_INTERVAL_MS;
  }

  async function release(rows: readonly OwnedRun[]): Promise<void> {
    const missing = rows.filter(({ executionId }) => !active.has(executionId));
    const again = missing.filter(({ executionId, token }) => unknown.get(executionId) === token);
    unknown = new Map(missing.map(({ executionId, token }) => [executionId, token]));
    if (again.length === 0) return;
    const released = await releaseExecutions(db, workerId, again);
    metrics.acted('unknown_to_worker', released.length);
    logger.warn({ runs: again.map(({ executionId }) => executionId) }, 'released runs unknown to this worker');
    await queue.add(released.flatMap(toQueued));
  }

  return {
    name: 'release_unknown_runs',
    intervalMs: INTERVAL_MS,
    timeLimitMs: TIME_LIMIT_MS,
    async run() {
      const now = performance.now();
      if (maySkip(now)) return;
      lastComparedAt = now;
      // Must come before the query: a run that is claimed after this line is not compared.
      const claimed = [...active.all()].filter((run) => run.isClaimed());
      const rows = await findOwnedRuns(db, workerId);
      const owned = new Map(rows.map(({ executionId, token }) => [executionId, token]));
      const lost = claimed.filter(({ executionId, token }) => owned.get(executionId) !== token);
      for (const run of lost) {
        if (!disowned.has(run) || run.haltReason() !== undefined) continue;
        logger.warn({ executionId: run.executionId }, 'halted a run that this worker no longer holds');
        run.halt('fenced');
      }
      disowned = new Set(lost);
      await release(rows);
    },
  };
}
