import { createFairSemaphore } from '@deckhand/nodes';

/**
 * How many transactions that lock a key a worker has open at the same time, and how many of them for one owner. Each
 * may wait for the lock, and occupies a connection meanwhile: without a limit, many runs that want the same key would
 * leave none for the checkpoints of all others.
 */
const MAX_TRANSACTIONS = 3;
const MAX_PER_OWNER = 2;

/** Runs a transaction once there is a permit for it. @param owner those of one owner share its permits. */
export type LimitKeyTransactions = <T>(owner: string, act: () => Promise<T>) => Promise<T>;

/** Creates the limit of a worker, which all its transactions that lock keys share. */
export function limitKeyTransactions(): LimitKeyTransactions {
  const permits = createFairSemaphore(MAX_TRANSACTIONS, MAX_PER_OWNER);
  return async (owner, act) => {
    const release = await permits.acquire(owner, new AbortController().signal);
    try {
      return await act();
    } finally {
      release();
    }
  };
}
