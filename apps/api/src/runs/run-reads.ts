import {
  type Database,
  isStatementCancelled,
  isStoreError,
  readFlushedPosition,
  readReplayedPosition,
} from '@deckhand/db';
import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReplicaLag } from './replica-lag.ts';

/** A result, and how old the replica's data may be that it was read from; undefined if it was read from the primary. */
export interface Read<T> {
  readonly value: T;
  readonly ageMs: number | undefined;
}

/** Reads of runs that decide nothing: lists, searches, exports and statistics. */
export interface RunReads {
  /**
   * Reads from the replica while that is recent enough, otherwise from the primary. A read that fails on the replica is
   * repeated on the primary. @param options.isFresh reads from the primary.
   */
  read<T>(work: (source: Database) => Promise<T>, options?: { isFresh?: boolean }): Promise<Read<T>>;
  /** Returns how old the data of the replica may be, in ms; 0 without a replica, undefined if that is unknown. */
  lagMs(): number | undefined;
  /** Returns the number of reads from each. */
  counts(): { readonly primary: number; readonly replica: number };
  close(): void;
}

/** A replica, and the maximum age of its data at which it is still read, in ms. */
export interface ReplicaOptions {
  readonly db: Database;
  readonly maxLagMs: number;
}

/** Interval between two measurements of the lag, in ms. */
const MEASURE_INTERVAL_MS = 1_000;
/**
 * Between asking the primary and the replica, in ms: a replica without problems replays within a few. Asked at once, it
 * would always seem to be one measurement behind.
 */
const REPLAY_MS = 100;

/** Starts measuring the replica's lag, once a second for any number of reads. Without a replica, reads the primary. */
export function createRunReads(options: {
  primary: Database;
  replica: ReplicaOptions | undefined;
  logger: Logger;
}): RunReads {
  const { primary, replica, logger } = options;
  const lag = createReplicaLag();
  const counts = { primary: 0, replica: 0 };
  const closing = new AbortController();
  let isUsed = false;
  /** From a failed read to the next measurement: others need not wait for the same error. */
  let hasFailed = false;

  /** Returns up to when the replica's data is complete, if that is recent enough. */
  function usableUntil(): number | undefined {
    const until = lag.completeUntil();
    if (replica === undefined || until === undefined || hasFailed) return undefined;
    return performance.now() - until <= replica.maxLagMs ? until : undefined;
  }

  async function measure(db: Database): Promise<void> {
    try {
      const at = performance.now();
      const flushed = await readFlushedPosition(primary);
      await sleep(REPLAY_MS, undefined, { ref: false, signal: closing.signal });
      lag.add({ at, flushed, replayed: await readReplayedPosition(db) });
      hasFailed = false;
    } catch (err) {
      // What was measured before remains true, and becomes older.
      logger.debug({ err }, 'failed to measure the lag of the replica');
    }
    const isUsable = usableUntil() !== undefined;
    if (isUsable === isUsed) return;
    isUsed = isUsable;
    if (isUsable) logger.info('switched lists of runs to the replica');
    else logger.warn('switched lists of runs to the primary: the replica is not available, or its data is too old');
  }

  async function measurePeriodically(db: Database): Promise<void> {
    while (!closing.signal.aborted) {
      await measure(db);
      await sleep(MEASURE_INTERVAL_MS, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
    }
  }
  if (replica) void measurePeriodically(replica.db);

  async function readPrimary<T>(work: (source: Database) => Promise<T>): Promise<Read<T>> {
    counts.primary += 1;
    return { value: await work(primary), ageMs: undefined };
  }

  return {
    async read(work, { isFresh = false } = {}) {
      const until = isFresh ? undefined : usableUntil();
      if (replica === undefined || until === undefined) return readPrimary(work);
      try {
        const value = await work(replica.db);
        counts.replica += 1;
        return { value, ageMs: performance.now() - until };
      } catch (error) {
        // A statement that took too long would take as long on the primary.
        if (!isStoreError(error) || isStatementCancelled(error)) throw error;
        hasFailed = true;
        logger.warn({ err: error }, 'read from the replica failed, retrying on the primary');
        return readPrimary(work);
      }
    },
    lagMs() {
      if (replica === undefined) return 0;
      const until = lag.completeUntil();
      return until === undefined ? undefined : performance.now() - until;
    },
    counts: () => counts,
    close() {
      closing.abort();
    },
  };
}
