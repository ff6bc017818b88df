import {
  type Database,
  type DispatchedExecution,
  findKeysToRelease,
  isStoreUnavailable,
  NO_KEY,
  releaseKeys,
  type RunKey,
} from '@deckhand/db';
import type { QueueProducer } from '@deckhand/queue';
import { createBatcher } from '@deckhand/runtime';
import type { PeriodicTask } from '../run-periodically.ts';
import { actOnRows } from './act-on-rows.ts';
import { type MaintenanceContext, TASK_TIME_LIMIT_MS } from './maintenance-context.ts';

const NAME = 'release_keys';
/** Maximum number of keys per transaction: during it, no run with one of them can be accepted. */
const KEYS_BATCH = 50;
/** Maximum number of keys with waiting runs that one statement finds. */
const FIND_BATCH = 500;

/** Dispatches runs that wait for a slot of their key. */
export interface KeyRelease {
  /** Gives the slot of a run that has ended to the next run of its key. If this fails, the task makes up for it. */
  readonly keyFreed: (key: RunKey) => Promise<void>;
  /** Creates the task that does so for all keys: a run was stopped or timed out, its time has come, a process died. */
  readonly task: (context: Pick<MaintenanceContext, 'logger' | 'metrics'>) => PeriodicTask;
  /** Resolves when no `keyFreed` is in progress. */
  readonly idle: () => Promise<void>;
}

/** Creates the release of keys. `onReleased` is called with the number of runs that the task dispatched. */
export function createKeyRelease({
  db,
  queue,
  onReleased,
}: {
  db: Database;
  queue: Pick<QueueProducer, 'add'>;
  onReleased: (runs: number) => void;
}): KeyRelease {
  const inProgress = new Set<Promise<unknown>>();
  const passOn = createBatcher<RunKey, undefined>({
    async flush(keys) {
      await dispatch(await releaseKeys(db, keys));
      return keys.map(() => undefined);
    },
    maxSize: KEYS_BATCH,
    concurrency: 1,
  });

  async function dispatch(runs: readonly DispatchedExecution[]): Promise<void> {
    if (runs.length > 0) await queue.add(runs);
  }

  async function releaseBatch(keys: readonly RunKey[], onBadRow: (key: RunKey, error: unknown) => void) {
    const runs: DispatchedExecution[] = [];
    const act = {
      act: (some: readonly RunKey[]) => releaseKeys(db, some),
      isUnavailable: isStoreUnavailable,
      onBadRow,
    };
    try {
      await actOnRows(keys, act, (released) => runs.push(...released));
    } finally {
      if (runs.length > 0) onReleased(runs.length);
      await dispatch(runs);
    }
  }

  return {
    async keyFreed(key) {
      const passed = passOn(key);
      inProgress.add(passed);
      await passed.finally(() => inProgress.delete(passed));
    },
    task: ({ logger, metrics }) => ({
      name: NAME,
      intervalMs: 1_000,
      timeLimitMs: TASK_TIME_LIMIT_MS,
      async run(signal) {
        const onBadRow = ({ workflowId }: RunKey, err: unknown): void => {
          metrics.badRow(NAME);
          logger.error({ err, workflowId }, 'failed to dispatch runs that wait for a key');
        };
        for (let last: RunKey | undefined = NO_KEY; last && !signal.aborted;) {
          const found: Awaited<ReturnType<typeof findKeysToRelease>> = await findKeysToRelease(db, last, FIND_BATCH);
          for (let at = 0; at < found.keys.length; at += KEYS_BATCH) {
            await releaseBatch(found.keys.slice(at, at + KEYS_BATCH), onBadRow);
          }
          last = found.last;
        }
      },
    }),
    async idle() {
      await Promise.allSettled(inProgress);
    },
  };
}
