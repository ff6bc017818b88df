import {
  type Database,
  type DispatchedExecution,
  findWorkspacesHeldBack,
  isStoreUnavailable,
  releaseHeldBack,
  releaseHeldBackOf,
  type Subject,
} from '@deckhand/db';
import type { RunQueue } from '@deckhand/queue';
import { createBatcher } from '@deckhand/runtime';
import { actOnRows } from './act-on-rows.js';

/** Left runs whose slots one transaction gives on at most. */
const LEFT_BATCH = 100;
/** Workspaces of one transaction: meanwhile no run of theirs is claimed under a limit. */
const WORKSPACES_BATCH = 20;
/** Rounds over the same workspaces at most: what is left after a limit was removed is released in the next pass. */
const ROUNDS_MAX = 20;

/** Before the first workspace. */
const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';

/** Lets runs go on that were held back because of a limit of runs at once. */
export interface HeldBackRuns {
  /** A run under a limit was left: the next one has its slot. Should it fail, `releaseAll` does it. */
  readonly slotFreed: (run: Subject) => Promise<void>;
  /**
   * Goes through all of them, for what was lost when a process died, and for limits that were raised or removed.
   * @param options.onBadWorkspace notified of a workspace whose runs could not be released; the others are.
   */
  readonly releaseAll: (options: {
    readonly signal: AbortSignal;
    readonly onBadWorkspace: (workspaceId: string, error: unknown) => void;
  }) => Promise<void>;
  /** Resolves when the slots left so far are given on, or could not be. */
  readonly idle: () => Promise<void>;
}

/** Creates it. `onReleased` is called with the number of runs that `releaseAll` released. */
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

  /** @returns how many runs were sent out. */
  async function releaseOnce(
    workspaceIds: readonly string[],
    onBadRow: (workspaceId: string, error: unknown) => void,
  ): Promise<number> {
    const runs: DispatchedExecution[] = [];
    try {
      await actOnRows(
        workspaceIds,
        { act: (ids) => releaseHeldBackOf(db, ids), isUnavailable: isStoreUnavailable, onBadRow },
        (released) => runs.push(...released),
      );
    } finally {
      if (runs.length > 0) onReleased(runs.length);
      await send(runs);
    }
    return runs.length;
  }

  return {
    async slotFreed(run) {
      const given = giveOn(run);
      underWay.add(given);
      await given.finally(() => underWay.delete(given));
    },
    async releaseAll({ signal, onBadWorkspace }) {
      const bad = new Set<string>();
      const onBadRow = (workspaceId: string, error: unknown): void => {
        bad.add(workspaceId);
        onBadWorkspace(workspaceId, error);
      };
      let last = NO_WORKSPACE;
      while (!signal.aborted) {
        const ids = await findWorkspacesHeldBack(db, last, WORKSPACES_BATCH);
        if (ids.length === 0) return;
        for (let round = 0; round < ROUNDS_MAX; round += 1) {
          const sent = await releaseOnce(
            ids.filter((id) => !bad.has(id)),
            onBadRow,
          );
          if (sent === 0) break;
        }
        last = ids.at(-1) ?? last;
      }
    },
    async idle() {
      await Promise.allSettled(underWay);
    },
  };
}
