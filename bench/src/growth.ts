import { generateRuns, indexAll } from './generate-runs.ts';
import { createOwners } from './lists.ts';
import type { Stack } from './stack.ts';
import { accept } from './suite/accept.ts';
import { endToEnd } from './suite/end-to-end.ts';
import { latency } from './suite/latency.ts';
import { polling } from './suite/polling.ts';
import { type Row, runSuite } from './suite/run-suite.ts';
import type { Bench } from './suite/scenario.ts';
import { median } from './suite/times.ts';
import { webhookOnCompletion } from './suite/webhook.ts';

/** Old runs in the tables, step by step. */
const SIZES = [0, 100_000, 1_000_000] as const;

const SCENARIOS = [
  accept,
  endToEnd,
  latency,
  webhookOnCompletion(20, 10),
  polling({ isUnchanged: false }),
  polling({ isUnchanged: true }),
];

/** A metric by the number of old runs that were in the tables. */
export interface GrowthRow {
  readonly scenario: string;
  readonly metric: string;
  /** In the order of `sizes`: the median, and the ratio to the floor of the same minutes where there is one. */
  readonly values: readonly { readonly measured: number; readonly ratio: number | null }[];
}

/**
 * Measures the scenarios of everyday among no, 100,000 and 1,000,000 old runs, each beside its floor, whose tables stay
 * small.
 */
export async function growth(
  bench: Bench,
  repeat: number,
  onProgress: (done: number, all: number, what: string) => void,
): Promise<{ sizes: readonly number[]; rows: GrowthRow[] }> {
  const steps: (readonly Row[])[] = [];
  let written = 0;
  for (const size of SIZES) {
    await grow(bench.stack, size - written);
    written = size;
    const { rows } = await runSuite(bench, SCENARIOS, repeat, (done, all, what) => {
      onProgress(done, all, `${what}, ${size} old runs`);
    });
    steps.push(rows);
  }
  const [first = []] = steps;
  return {
    sizes: SIZES,
    rows: first.map(({ scenario, metric }, index) => ({
      scenario,
      metric,
      values: steps.map((rows) => {
        const { ours = [], floor = [] } = rows[index] ?? {};
        const measured = median(ours);
        return { measured, ratio: floor.length > 0 ? measured / median(floor) : null };
      }),
    })),
  };
}

async function grow(stack: Stack, runs: number): Promise<void> {
  if (runs === 0) return;
  const { owner, other } = await createOwners(stack);
  await generateRuns(stack.db, [owner, other], { count: runs }, () => undefined);
  await indexAll(stack.db);
}
