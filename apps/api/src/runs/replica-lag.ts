import type { WalPosition } from '@deckhand/db';

/** Up to where the primary had written at some time. */
interface Sample {
  readonly at: number;
  readonly flushed: WalPosition;
}

/** Knows how old the data of a replica may be. */
export interface ReplicaLag {
  /** Adds a measurement: the primary was asked at `at` (ms of a steady clock), the replica after it. */
  add(measured: { at: number; flushed: WalPosition; replayed: WalPosition | undefined }): void;
  /** Returns the last time up to which the replica is known to have everything; undefined if unknown. */
  completeUntil(): number | undefined;
}

/** Samples that are remembered, one a second: a replica that lags by more has an unknown lag. */
const MAX_SAMPLES = 3_600;

/**
 * Compares positions in the log instead of times: an idle primary does not make its replica look old, one that receives
 * nothing does not look fresh, and no clock has to be right.
 */
export function createReplicaLag(): ReplicaLag {
  /** In the order of time, and therefore of positions. */
  let samples: Sample[] = [];
  let completeUntil: number | undefined;
  return {
    add({ at, flushed, replayed }) {
      const last = samples.at(-1);
      // After a failover that lost the end of the log, the positions of before say nothing about the new log.
      if (last !== undefined && flushed < last.flushed) samples = [];
      samples.push({ at, flushed });
      if (replayed === undefined) {
        completeUntil = undefined;
        return;
      }
      const reached = samples.findLastIndex((sample) => sample.flushed <= replayed);
      if (reached >= 0) {
        completeUntil = samples[reached]?.at;
        samples = samples.slice(reached);
      }
      samples = samples.slice(-MAX_SAMPLES);
    },
    completeUntil: () => completeUntil,
  };
}
