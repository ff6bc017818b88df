import { Prisma } from '../client.ts';

/**
 * Durations are counted in buckets, so that days can be added up and still have percentiles. The first bucket begins at
 * 1 ms, and each ends at 2^(1/8) times its beginning.
 */
const BUCKETS_PER_DOUBLING = 8;
/** The bucket of a year and of everything longer. */
const LAST_BUCKET = 280;

/** The bucket, from 1 on, of the duration of the run `e`, as SQL; null if it never started. */
export const DURATION_BUCKET = Prisma.sql`CASE WHEN e.started_at IS NOT NULL THEN
  least(${Prisma.raw(String(LAST_BUCKET))}, 1 + floor(${Prisma.raw(String(BUCKETS_PER_DOUBLING))} / ln(2::float8)
    * ln(greatest(1, extract(epoch FROM e.finished_at - e.started_at)::float8 * 1000))))::int END`;

/** Adds up counts by bucket. */
export function addCounts(all: readonly (readonly number[])[]): number[] {
  const sums: number[] = [];
  for (const counts of all) {
    for (const [index, count] of counts.entries()) sums[index] = (sums[index] ?? 0) + count;
  }
  return sums;
}

/**
 * Returns a percentile of durations, in whole ms: the middle of its bucket, which is at most 5 % off.
 * @param share such as 0.95.
 * @returns null without any duration.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  for (const [index, count] of counts.entries()) {
    before += count;
    if (count > 0 && before >= total * share) return Math.round(2 ** ((index + 0.5) / BUCKETS_PER_DOUBLING));
  }
  return null;
}
