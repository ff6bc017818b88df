import type { FinishedStatus } from '@deckhand/contracts';
import { endWaitsOfParents } from '@deckhand/db';
import { publishChanges, type RunChange } from '@deckhand/queue';
import { createBatcher, type Logger, type ResultSignatures } from '@deckhand/runtime';
import { sendAnswered } from '../maintenance/finish-children.ts';
import type { WorkerStores } from '../stores.ts';
import type { SessionLocks } from './run-locks.ts';

/** Notifies others of the outcome of a run. Maintenance makes up for notifications that are lost. */
export interface RunNotifier {
  /** Notifies those who wait for the run of a change: it rests, or has responded. */
  readonly announce: (change: RunChange) => void;
  /** Notifies those who wait for the run that it ended, with its serialised result if they wait for that. */
  readonly announceEnd: (executionId: string, ended: FinishedStatus, resultJson: string | null) => void;
  /** Lets parents continue whose children are finished: the parents of these children, or these parents. */
  readonly finishChildren: (finished: { childIds: string[] } | { parentIds: string[] }) => Promise<void>;
  /** Gives the locks that a run held to the next. */
  readonly freeLocks: (run: { readonly executionId: string; readonly workspaceId: string }) => Promise<void>;
  /** Wakes resting runs at a time, in ms since the epoch. */
  readonly wakeAt: (time: number) => void;
}

/** Longest result that a notification has, in characters: every API process gets it. */
const MAX_RESULT_CHARS = 4_096;

/** Creates the notifier of what sessions did. Changes that come together are published together. */
export function createRunNotifier(
  { db, redis, queue }: Pick<WorkerStores, 'db' | 'redis' | 'queue'>,
  parts: {
    readonly locks: SessionLocks;
    readonly signatures: ResultSignatures;
    readonly wakeAt: (time: number) => void;
    readonly logger: Logger;
  },
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
    announceEnd(executionId, ended, resultJson) {
      const isPassedOn = resultJson !== null && resultJson.length <= MAX_RESULT_CHARS;
      const signedResult = isPassedOn ? parts.signatures.sign(executionId, resultJson) : undefined;
      void announce({ executionId, ended, signedResult });
    },
    freeLocks: (run) => parts.locks.free(run),
    finishChildren: async (finished) => sendAnswered({ queue, redis }, await endWaitsOfParents(db, finished)),
    wakeAt: parts.wakeAt,
  };
}
