import type { Floor } from '../floor/start.ts';
import type { Stack } from '../stack.ts';

/**
 * What one repetition came to, by metric: `{ 'requests/s': 1200, 'p50 ms': 3 }`. Metrics that end in `/s` are better
 * when larger.
 */
export type Figures = Readonly<Record<string, number>>;

/** The environment of a scenario. */
export interface Bench {
  readonly stack: Stack;
  readonly floor: Floor;
}

/** A measurement, and its floor. Throws when a response is wrong, lost or doubled. */
export interface Scenario {
  readonly name: string;
  /** Saves what it needs, once. */
  prepare(bench: Bench): Promise<Measurement>;
}

/** One repetition each, alternating. */
export interface Measurement {
  ours(): Promise<Figures>;
  /** The same metrics; undefined where there is nothing to compare with. */
  readonly floor?: () => Promise<Figures>;
}
