import {
  type Database,
  type DispatchedExecution,
  findWorkspacesHeldBack,
  isStoreUnavailable,
  releaseHeldBack,
  releaseHeldBackOf,
  type Subject,
} from '@deckhand/db';
import type { QueueProducer } from '@deckhand/queue';
import { createBatcher } from '@deckhand/runtime';
import { actOnRows } from './act-on-rows.ts';

/** Maximum number of freed slots per transaction. */
const MAX_SLOTS_BATCH = 100;
/** Number of workspaces per transaction: during it, none of their runs can be claimed under a limit. */
const WORKSPACES_BATCH = 20;
/** Maximum number of rounds over the same workspaces. If a limit was removed, the next pass releases the rest. */
const MAX_ROUNDS = 20;

/** Sorts before the id of every workspace. */
const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';

/** Releases runs that were held back by a limit of runs at once: they are dispatched when a slot is free. */
export interface HeldBackRuns {
  /** Gives the slot of a run to the next one. If this fails, `releaseAll` makes up for it. */
  readonly slotFreed: (run: Subject) => Promise<void>;
  /**
   * Releases runs of all workspaces where slots are free, because a process died or a limit was raised or removed.
   * @param options.onBadWorkspace called for a workspace whose runs could not be released. It stops no other.
   */
  readonly releaseAll: (options: {
    readonly signal: AbortSignal;
    readonly onBadWorkspace: (workspaceId: string, error: unknown) => void;
  }) => Promise<void>;
  /** Resolves when no `slotFreed` is in progress. */
  readonly idle: () => Promise<void>;
}

/** Creates the release of held back runs. `onReleased` is called with the number of runs that `releaseAll` released. */
export function createHeldBackRuns({
  db,
  queue,
  onReleased,
}: {
  db: Database;
  queue: Pick<QueueProducer, 'add'>;
  onReleased: (runs: number) => void;
}): HeldBackRuns {
  const passSlotOn = createBatcher<Subject, undefined>({
    async flush(finished) {
      await dispatch(await releaseHeldBack(db, finished));
      return finished.map(() => undefined);
    },
    maxSize: MAX_SLOTS_BATCH,
    concurrency: 1,
  });

  const inProgress = new Set<Promise<unknown>>();

  async function dispatch(runs: readonly DispatchedExecution[]): Promise<void> {
    if (runs.length > 0) await queue.add(runs);
  }

  /** Makes one round over these workspaces. @returns the number of dispatched runs. */
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
      await dispatch(runs);
    }
    return runs.length;
  }

  return {
    async slotFreed(run) {
      const passed = passSlotOn(run);
      inProgress.add(passed);
      await passed.finally(() => inProgress.delete(passed));
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
        for (let round = 0; round < MAX_ROUNDS; round += 1) {
          const released = await releaseOnce(
            ids.filter((id) => !bad.has(id)),
            onBadRow,
          );
          if (released === 0) break;
        }
        last = ids.at(-1) ?? last;
      }
    },
    async idle() {
      await Promise.allSettled(inProgress);
    },
  };
}
