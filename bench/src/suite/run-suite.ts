import { setTimeout as sleep } from 'node:timers/promises';
import { makeSearchable } from '../generate-runs.ts';
import { rssOf } from '../rss.ts';
import { withRssPeak } from '../rss.ts';
import type { Bench, Figures, Measurement, Scenario } from './scenario.ts';

/** A metric of a scenario, over all repetitions. */
export interface Row {
  readonly scenario: string;
  readonly metric: string;
  readonly ours: readonly number[];
  /** Empty without a floor. */
  readonly floor: readonly number[];
}

/** The result of a suite. Memory in MB: at rest before the start, and the peak of each scenario. */
export interface SuiteResult {
  readonly rows: readonly Row[];
  readonly memory: readonly { readonly when: string; readonly api: number; readonly worker: number }[];
}

/**
 * How long a process that has just started is left alone before its memory counts as that at rest, in ms: it gives back
 * what its start took.
 */
const REST_MS = 15_000;

/**
 * Measures scenarios several times, alternating between the floor and Deckhand, so that other load of the machine
 * affects both. @param onProgress called before each measurement.
 */
export async function runSuite(
  bench: Bench,
  scenarios: readonly Scenario[],
  repeat: number,
  onProgress: (done: number, all: number, what: string) => void,
): Promise<SuiteResult> {
  const { api, worker } = bench.stack;
  await sleep(REST_MS);
  const memory = [{ when: 'at rest', api: await rssOf(api.pid), worker: await rssOf(worker.pid) }];
  const rows: Row[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const measurement = await scenario.prepare(bench);
    // The first one is a warm-up, and is not counted.
    const peaks = await withRssPeak(api.pid, () =>
      withRssPeak(worker.pid, () =>
        repeatAll(bench, measurement, repeat + 1, (done) => {
          onProgress(index * (repeat + 1) + done, scenarios.length * (repeat + 1), scenario.name);
        }),
      ),
    );
    const { value: figures, peak } = peaks.value;
    memory.push({ when: scenario.name, api: peaks.peak, worker: peak });
    rows.push(...toRows(scenario.name, figures.slice(1)));
  }
  return { rows, memory };
}

interface Repetition {
  readonly ours: Figures;
  readonly floor: Figures;
}

async function repeatAll(
  { stack }: Bench,
  measurement: Measurement,
  count: number,
  onProgress: (done: number) => void,
): Promise<Repetition[]> {
  const repetitions: Repetition[] = [];
  for (let done = 0; done < count; done += 1) {
    onProgress(done);
    // The worker spends a tenth of its time on this, so it would affect the next measurement.
    await makeSearchable(stack.db);
    const floor = (await measurement.floor?.()) ?? {};
    repetitions.push({ floor, ours: await measurement.ours() });
  }
  return repetitions;
}

function toRows(scenario: string, repetitions: readonly Repetition[]): Row[] {
  const metrics = Object.keys(repetitions[0]?.ours ?? {});
  return metrics.map((metric) => ({
    scenario,
    metric,
    ours: repetitions.map(({ ours }) => ours[metric] ?? NaN),
    floor: repetitions.flatMap(({ floor }) => floor[metric] ?? []),
  }));
}
