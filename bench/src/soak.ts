import { readdir } from 'node:fs/promises';
import { countRuns, waitForRuns } from './runs.ts';
import { rssOf } from './rss.ts';
import type { Stack } from './stack.ts';
import { send } from './suite/load.ts';
import { FOUR_NODES, FOUR_NODES_BODY, saveWorkflow } from './workflows.ts';

/** Time between two samples of the processes, in ms. */
const SAMPLE_MS = 5_000;
const CONNECTIONS = 20;

/** One sample of a process. */
export interface ProcessSample {
  readonly rssMb: number;
  /** Open files, sockets among them. */
  readonly handles: number;
  /** The p99 delay of the event loop since the last sample, in ms. */
  readonly lagMs: number;
}

/** One sample of API and worker, with the seconds since the start. */
export interface SoakSample {
  readonly seconds: number;
  readonly api: ProcessSample;
  readonly worker: ProcessSample;
  /** Finished runs that were not in the search index yet, by the worker's metric. */
  readonly searchBacklog: number;
}

/** The result of a soak. */
export interface SoakResult {
  readonly samples: readonly SoakSample[];
  readonly accepted: number;
  readonly succeeded: number;
  readonly acceptP99Ms: number;
}

/**
 * Starts runs of four nodes at a steady pace for so long, and watches API and worker.
 * @throws when a run is lost or doubled.
 */
export async function soak(stack: Stack, load: { minutes: number; perSecond: number }): Promise<SoakResult> {
  const workflowId = await saveWorkflow(stack, 'soak', FOUR_NODES);
  const amount = Math.round(load.minutes * 60 * load.perSecond);
  const samples: SoakSample[] = [];
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    void Promise.all([
      look(stack.api.pid, stack.metricsUrls.api),
      look(stack.worker.pid, stack.metricsUrls.worker),
      readBacklog(stack.metricsUrls.worker),
    ]).then(([api, worker, searchBacklog]) => samples.push({ seconds, api, worker, searchBacklog }));
  }, SAMPLE_MS);
  try {
    const { p99 } = await send({
      url: `${stack.url}/api/workflows/${workflowId}/execute`,
      method: 'POST',
      headers: { 'x-api-key': stack.apiKey },
      body: FOUR_NODES_BODY,
      connections: CONNECTIONS,
      amount,
      perSecond: load.perSecond,
      status: 202,
    });
    await waitForRuns(stack, workflowId);
    const { all, succeeded } = await countRuns(stack, workflowId);
    if (all !== amount || succeeded !== amount) {
      throw new Error(`${amount} runs were started, ${succeeded} of ${all} succeeded`);
    }
    return { samples, accepted: amount, succeeded, acceptP99Ms: p99 };
  } finally {
    clearInterval(timer);
  }
}

async function readBacklog(metricsUrl: string): Promise<number> {
  const text = await fetch(metricsUrl).then((answer) => answer.text());
  return Number(/^deckhand_search_backlog_runs (\d+)$/m.exec(text)?.[1] ?? NaN);
}

async function look(pid: number, metricsUrl: string): Promise<ProcessSample> {
  const [rssMb, files, metrics] = await Promise.all([
    rssOf(pid),
    readdir(`/proc/${pid}/fd`).catch(() => []),
    fetch(metricsUrl).then((answer) => answer.text()),
  ]);
  const lag = /^\w*eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)$/m.exec(metrics)?.[1];
  return { rssMb, handles: files.length, lagMs: Number(lag) * 1_000 };
}
