import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plotRatios } from './plot.ts';
import { median } from './times.ts';
import type { Row, SuiteResult } from './run-suite.ts';

/** A row as people read it. */
interface Line {
  readonly scenario: string;
  readonly metric: string;
  readonly measured: number;
  /** Least and most of the repetitions. */
  readonly spread: string;
  readonly floor: number | null;
  /** Measured ÷ floor: above 1 is better for rates, worse for times. */
  readonly ratio: number | null;
}

/** Prints a suite's result: medians of the repetitions, their spread, and the ratio to the floor. */
export function printReport({ rows, memory }: SuiteResult): void {
  console.table(rows.map(toLine));
  console.table(memory.map(({ when, api, worker }) => ({ memory: when, 'API MB': api, 'worker MB': worker })));
}

/**
 * Writes a suite's result into a folder: `bench.json` with every repetition, `bench.md` with the tables, `bench.svg`
 * with the ratios.
 */
export async function writeReport(folder: string, result: SuiteResult): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'bench.json'), `${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(folder, 'bench.md'), `${toMarkdown(result)}\n`);
  await writeFile(join(folder, 'bench.svg'), plotRatios(result.rows));
}

function toMarkdown({ rows, memory }: SuiteResult): string {
  return [
    table(
      ['scenario', 'metric', 'measured', 'spread', 'floor', 'ratio'],
      rows.map(toLine).map((line) => [line.scenario, line.metric, line.measured, line.spread, line.floor, line.ratio]),
    ),
    table(
      ['memory, most', 'API MB', 'worker MB'],
      memory.map(({ when, api, worker }) => [when, api, worker]),
    ),
  ].join('\n\n');
}

type Cell = string | number | null;

function table(head: readonly string[], lines: readonly (readonly Cell[])[]): string {
  const all: readonly (readonly Cell[])[] = [head, head.map(() => '---'), ...lines];
  return all.map((cells) => `| ${cells.map((cell) => cell ?? '–').join(' | ')} |`).join('\n');
}

function toLine({ scenario, metric, ours, floor }: Row): Line {
  const measured = median(ours);
  const least = floor.length > 0 ? median(floor) : null;
  return {
    scenario,
    metric,
    measured: round(measured),
    spread: `${round(Math.min(...ours))} to ${round(Math.max(...ours))}`,
    floor: least === null ? null : round(least),
    ratio: least === null ? null : Number((measured / least).toFixed(2)),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
