import { findOwnedRuns, type OwnedRun, releaseExecutions } from '@deckhand/db';
import type { ActiveRuns } from '../session/active-runs.js';
import type { PeriodicTask } from '../run-periodically.js';
import { toQueued } from './finish-children.js';
import type { MaintenanceContext } from './maintenance-context.js';

/** Interval between two comparisons, in ms. A difference in two in a row is not a claim or an end in progress. */
const INTERVAL_MS = 2_000;
const TIME_LIMIT_MS = 10_000;

/**
 * Compares the runs that the database says this worker holds with those it has in memory. A run that it does not know
 * is given back, so that another worker goes on with it; a run in memory that is no longer its own is halted. Either
 * only if two comparisons one after the other find the same.
 */
export function createUnknownRunRelease(
  { db, queue, logger, metrics }: Pick<MaintenanceContext, 'db' | 'queue' | 'logger' | 'metrics'>,
  { workerId, active }: { readonly workerId: string; readonly active: Pick<ActiveRuns, 'has' | 'all'> },
): PeriodicTask {
  /** Rows without a run in memory, by id, with the token of the claim under which they were found. */
  let unknown = new Map<string, string>();
  /** Runs in memory without a row: by what they are, for a run may come back. */
  let disowned = new Set<unknown>();

  async function release(rows: readonly OwnedRun[]): Promise<void> {
    const missing = rows.filter(({ executionId }) => !active.has(executionId));
    const again = missing.filter(({ executionId, token }) => unknown.get(executionId) === token);
    unknown = new Map(missing.map(({ executionId, token }) => [executionId, token]));
    if (again.length === 0) return;
    const released = await releaseExecutions(db, workerId, again);
    metrics.acted('unknown_to_worker', released.length);
    logger.warn({ runs: again.map(({ executionId }) => executionId) }, 'gave back runs that this worker does not know');
    await queue.add(released.flatMap(toQueued));
  }

  return {
    name: 'release_unknown_runs',
    intervalMs: INTERVAL_MS,
    timeLimitMs: TIME_LIMIT_MS,
    async run() {
      // Before the rows are read: what is claimed after that is in neither.
      const claimed = [...active.all()].filter((run) => run.isClaimed());
      const rows = await findOwnedRuns(db, workerId);
      const owned = new Map(rows.map(({ executionId, token }) => [executionId, token]));
      const lost = claimed.filter(({ executionId, token }) => owned.get(executionId) !== token);
      for (const run of lost) {
        if (!disowned.has(run) || run.haltReason() !== undefined) continue;
        logger.warn({ executionId: run.executionId }, 'halted a run that this worker holds no more');
        run.halt('fenced');
      }
      disowned = new Set(lost);
      await release(rows);
    },
  };
}
