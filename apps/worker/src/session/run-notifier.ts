import { endWaitsOfParents } from '@deckhand/db';
import { publishChanges, type RunChange } from '@deckhand/queue';
import { createBatcher, type Logger } from '@deckhand/runtime';
import { sendAnswered } from '../maintenance/finish-children.ts';
import type { WorkerStores } from '../stores.ts';
import type { SessionLocks } from './run-locks.ts';

/** Notifies others of the outcome of a run. Maintenance makes up for notifications that are lost. */
export interface RunNotifier {
  /** Notifies those who wait for the run that it finished, and how, or that it rests. */
  readonly announce: (change: RunChange) => void;
  /** Lets parents continue whose children are finished: the parents of these children, or these parents. */
  readonly finishChildren: (finished: { childIds: string[] } | { parentIds: string[] }) => Promise<void>;
  /** Gives the locks that a run held to the next. */
  readonly freeLocks: (run: { readonly executionId: string; readonly workspaceId: string }) => Promise<void>;
  /** Wakes resting runs at a time, in ms since the epoch. */
  readonly wakeAt: (time: number) => void;
}

/** Creates the notifier of what sessions did. Changes that come together are published together. */
export function createRunNotifier(
  { db, redis, queue }: Pick<WorkerStores, 'db' | 'redis' | 'queue'>,
  parts: { readonly locks: SessionLocks; readonly wakeAt: (time: number) => void; readonly logger: Logger },
): RunNotifier {
  const announce = createBatcher<RunChange, undefined>({
    async flush(changes) {
      await publishChanges(redis, changes).catch((err: unknown) => {
        // Harmless: those who wait for a change also poll the database.
        parts.logger.debug({ err }, 'failed to publish changes of runs');
      });
      return changes.map(() => undefined);
    },
    maxSize: 1_000,
    concurrency: 1,
  });
  return {
    announce: (change) => void announce(change),
    freeLocks: (run) => parts.locks.free(run),
    finishChildren: async (finished) => sendAnswered({ queue, redis }, await endWaitsOfParents(db, finished)),
    wakeAt: parts.wakeAt,
  };
}
