import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreUnavailable } from './store-errors.js';

/** Delay before a write is tried again, in ms. */
const RETRY_DELAY_MS = 100;

/**
 * Tries a write of a request once more if it failed for a reason that may pass. The caller gets the second failure.
 * @param again has to allow for a first attempt that succeeded although its response was lost.
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
