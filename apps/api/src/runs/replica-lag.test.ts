import { describe, expect, it } from '@jest/globals';
import { createReplicaLag } from './replica-lag.ts';

/** Adds measurements of the form time, flushed, replayed. @returns up to when the replica is complete after each. */
function measure(...rows: readonly (readonly [number, bigint, bigint | undefined])[]): (number | undefined)[] {
  const lag = createReplicaLag();
  return rows.map(([at, flushed, replayed]) => {
    lag.add({ at, flushed, replayed });
    return lag.completeUntil();
  });
}

describe('how old the data of a replica may be', () => {
  it('is unknown before a measurement, and while the replica has replayed less than any known position', () => {
    expect(createReplicaLag().completeUntil()).toBeUndefined();
    expect(measure([1_000, 50n, 40n], [2_000, 60n, 49n])).toEqual([undefined, undefined]);
  });

  it('is nothing if all that the primary had written is replayed, whether the primary writes or not', () => {
    expect(measure([1_000, 50n, 50n], [2_000, 50n, 50n], [3_000, 60n, 70n])).toEqual([1_000, 2_000, 3_000]);
  });

  it('grows while the replica receives nothing, and shrinks as it catches up', () => {
    expect(
      measure([1_000, 50n, 50n], [2_000, 60n, 50n], [3_000, 70n, 59n], [4_000, 80n, 65n], [5_000, 90n, 90n]),
    ).toEqual([1_000, 1_000, 1_000, 2_000, 5_000]);
  });

  it('is unknown once the server is not a replica', () => {
    expect(measure([1_000, 50n, 50n], [2_000, 60n, undefined], [3_000, 70n, 70n])).toEqual([1_000, undefined, 3_000]);
  });

  it('after a failover that lost the end of the log, is measured by the new log alone', () => {
    // The replica has replayed the lost part up to 90; the position 80 of the new log is another one.
    expect(measure([1_000, 50n, 50n], [2_000, 100n, 60n], [3_000, 70n, 60n], [4_000, 80n, 75n])).toEqual([
      1_000, 1_000, 1_000, 3_000,
    ]);
  });
});
