import {
  countHeldRuns,
  type Database,
  type DispatchedExecution,
  findWorkspacesHeldBack,
  releaseHeldBack,
  releaseHeldBackOf,
  type Subject,
} from '@deckhand/db';
import type { RunQueue } from '@deckhand/queue';
import { createBatcher } from '@deckhand/runtime';

/** Left runs whose slots one transaction gives on at most. */
const LEFT_BATCH = 100;
/** Workspaces that one transaction looks at: while it does, no run of theirs is claimed under a limit. */
const WORKSPACES_BATCH = 20;
/** Looks at the same workspaces at most: what is left after a limit was removed has its turn in the next tick. */
const ROUNDS_MAX = 20;

/** Before the first workspace. */
const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';

/** Lets runs go on that were held back because of a limit of runs at once. */
export interface HeldBackRuns {
  /** A run under a limit was left: the next one has its slot. Should it fail, `releaseAll` does it. */
  readonly slotLeft: (run: Subject) => Promise<void>;
  /**
   * Looks at all of them, for what was lost when a process died, and for limits that were raised or removed. Runs that were claimed
   * before there was a limit count from here on.
   */
  readonly releaseAll: () => Promise<void>;
  /** Resolves when the slots left so far are given on, or could not be. */
  readonly idle: () => Promise<void>;
}

/** Creates it. `onReleased` is told how many `releaseAll` found. */
export function createHeldBackRuns({
  db,
  queue,
  onReleased,
}: {
  db: Database;
  queue: Pick<RunQueue, 'add'>;
  onReleased: (runs: number) => void;
}): HeldBackRuns {
  const giveOn = createBatcher<Subject, undefined>({
    async flush(left) {
      await send(await releaseHeldBack(db, left));
      return left.map(() => undefined);
    },
    maxSize: LEFT_BATCH,
    concurrency: 1,
  });

  const underWay = new Set<Promise<unknown>>();

  async function send(runs: readonly DispatchedExecution[]): Promise<void> {
    if (runs.length > 0) await queue.add(runs);
  }

  async function releaseOf(workspaceIds: readonly string[]): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const runs = await releaseHeldBackOf(db, workspaceIds);
      if (runs.length === 0) return;
      onReleased(runs.length);
      await send(runs);
    }
  }

  return {
    async slotLeft(run) {
      const given = giveOn(run);
      underWay.add(given);
      await given.finally(() => underWay.delete(given));
    },
    async releaseAll() {
      await countHeldRuns(db);
      let ids = await findWorkspacesHeldBack(db, NO_WORKSPACE, WORKSPACES_BATCH);
      while (ids.length > 0) {
        await releaseOf(ids);
        ids = await findWorkspacesHeldBack(db, ids.at(-1) ?? NO_WORKSPACE, WORKSPACES_BATCH);
      }
    },
    async idle() {
      await Promise.allSettled(underWay);
    },
  };
}
