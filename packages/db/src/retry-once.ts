import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreUnavailable } from './store-errors.js';

/** How long after a failure a write is tried again, in ms. */
const RETRY_DELAY_MS = 100;

/**
 * Tries a write of a request once more when the database could not do it for a reason that may pass. Whoever made the
 * request is told of the second failure.
 * @param again must fit a first try that may have landed.
 */
export async function retryOnce<T>(first: () => Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await first();
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
  }
  await sleep(RETRY_DELAY_MS);
  return again();
}
