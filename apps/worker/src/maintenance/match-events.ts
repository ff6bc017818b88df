import {
  type EndedByEvents,
  endNewWaits,
  endWaitsForEvents,
  findUncheckedWaits,
  findUnmatchedEvents,
  type FoundRun,
  pruneEvents,
  type RunsOfEvents,
} from '@deckhand/db';
import { announceStops } from '../announce-runs.ts';
import type { PeriodicTask } from '../run-periodically.ts';
import { sendAnswered } from './finish-children.ts';
import { createRowTask, type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';
import { createEventRunStarting } from './start-event-runs.ts';

/** Maximum number of events, and of runs with new waits, per batch. */
const BATCH = 500;
const MAX_BATCH_BYTES = 8 * 1_048_576;
/** Time after which a pass begins no more batches, in ms. */
const BUDGET_MS = 2_000;
/** How many old events one statement deletes, and how often, in ms. */
const PRUNE_BATCH = 5_000;
const PRUNE_INTERVAL_MS = 5_000;

/** The tasks by which events meet the waits and triggers for them. */
export interface EventMatching {
  readonly tasks: readonly PeriodicTask[];
  /** Matches events that have just come, without waiting for the next pass. */
  matchNow(): void;
  /** Begins no more passes by `matchNow`. */
  close(): void;
}

/**
 * Creates the tasks. Events and waits are both matched: whichever is committed later meets the other. If a worker dies,
 * the next holder of the lease continues; jobs that were not added are found by the recovery of lost jobs.
 * @param isHeld whether this worker does the maintenance.
 */
export function createEventMatching(context: MaintenanceContext, isHeld: () => boolean): EventMatching {
  const { db, logger } = context;
  const startRuns = createEventRunStarting(context);

  /** An error of Redis is not a fault of the events. Maintenance finds runs without a job. */
  async function announce({ woken, stopped }: RunsOfEvents): Promise<void> {
    await announceStops(context, stopped);
    await sendAnswered(context, woken).catch((err: unknown) => {
      logger.warn({ err, runs: woken.length }, 'failed to queue runs woken by events, retrying');
    });
  }

  /** Woken runs are queued at once: starting others may fail. */
  async function match(ids: readonly string[]): Promise<EndedByEvents> {
    const ended = await endWaitsForEvents(db, ids);
    await announce(ended);
    const isDelayed = await startRuns(ended.whole);
    if (ended.isPartial || isDelayed) matchNow();
    return ended;
  }

  const matching = createRowTask<FoundRun, EndedByEvents>(
    {
      name: 'match_events',
      intervalMs: 1_000,
      work: {
        find: (page) => findUnmatchedEvents(db, page),
        idOf: ({ id }) => id,
        bytesOf: ({ bytes }) => bytes,
        act: async (events) => [await match(events.map(({ id }) => id))],
        maxRows: BATCH,
        maxBytes: MAX_BATCH_BYTES,
        budgetMs: BUDGET_MS,
      },
    },
    context,
  );
  const checking = createRowTask(
    {
      name: 'check_new_waits',
      intervalMs: 1_000,
      work: {
        find: (page) => findUncheckedWaits(db, page),
        idOf: (id) => id,
        act: async (ids) => [await endNewWaits(db, ids)],
        onDone: async (ended) => {
          for (const each of ended) await announce(each);
        },
        maxRows: BATCH,
        budgetMs: BUDGET_MS,
      },
    },
    context,
  );
  const pruning: PeriodicTask = {
    name: 'prune_events',
    intervalMs: PRUNE_INTERVAL_MS,
    timeLimitMs: TASK_TIME_LIMIT_MS,
    async run(signal) {
      const until = performance.now() + BUDGET_MS;
      for (;;) {
        const { all, unmatched } = await pruneEvents(db, PRUNE_BATCH);
        if (unmatched > 0)
          logger.error({ events: unmatched }, 'deleted events whose runs limits had delayed for a day');
        if (all < PRUNE_BATCH || signal.aborted || performance.now() >= until) return;
      }
    },
  };

  let isMatching = false;
  let isWanted = false;
  let isClosed = false;

  /** Makes passes one at a time: two would count a run twice under a limit of runs per minute. */
  async function matchWhileWanted(): Promise<void> {
    isMatching = true;
    try {
      while (isWanted && !isClosed && isHeld()) {
        isWanted = false;
        await matching.run(AbortSignal.timeout(TASK_TIME_LIMIT_MS));
      }
    } finally {
      isMatching = false;
    }
  }

  function matchNow(): void {
    isWanted = true;
    if (isMatching) return;
    matchWhileWanted().catch((err: unknown) => logger.warn({ err }, 'failed to match events, retrying'));
  }

  async function matchPeriodically(signal: AbortSignal): Promise<void> {
    if (isMatching) return;
    isMatching = true;
    try {
      await matching.run(signal);
    } finally {
      isMatching = false;
    }
    if (isWanted) matchNow();
  }

  return {
    tasks: [{ ...matching, run: matchPeriodically }, checking, pruning],
    matchNow,
    close() {
      isClosed = true;
    },
  };
}
