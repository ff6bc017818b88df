import { type Database, freeLocksOf, releaseLock, requestLock } from '@deckhand/db';
import type { RunLocks } from '@deckhand/engine';
import type { QueueProducer, Redis } from '@deckhand/queue';
import { sendAnswered } from '../maintenance/finish-children.ts';
import type { LimitKeyTransactions } from './key-transactions.ts';

/** Locks of runs: those of nodes, and what remains when a run ends. */
export interface SessionLocks extends RunLocks {
  /** Gives the locks of a run that has ended to the next. If this fails, the task of maintenance makes up for it. */
  free(run: { readonly executionId: string; readonly workspaceId: string }): Promise<void>;
}

/** Creates the locks of runs. A notification that is lost is made up for by maintenance. */
export function createRunLocks({
  db,
  queue,
  redis,
  retry,
  limited,
}: {
  db: Database;
  queue: Pick<QueueProducer, 'add'>;
  redis: Redis;
  /** Repeats a write while the database is unavailable. */
  retry: <T>(what: string, act: () => Promise<T>) => Promise<T>;
  limited: LimitKeyTransactions;
}): SessionLocks {
  const notify = (woken: Parameters<typeof sendAnswered>[1]): Promise<void> =>
    sendAnswered({ queue, redis }, woken).catch(() => undefined);
  return {
    async acquire(request) {
      const act = () => limited(request.workspaceId, () => requestLock(db, request));
      const { verdict, woken } = await retry('lock', act);
      await notify(woken);
      return verdict;
    },
    async release({ executionId, ...name }) {
      await notify(await retry('lock', () => limited(name.workspaceId, () => releaseLock(db, executionId, name))));
    },
    async free({ executionId, workspaceId }) {
      const woken = await limited(workspaceId, () => freeLocksOf(db, executionId));
      await sendAnswered({ queue, redis }, woken);
    },
  };
}
