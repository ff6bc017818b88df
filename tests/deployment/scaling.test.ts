import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { repositoryPath } from '../harness/deployment/repository-file.ts';
import { createAutoscaler, type Load, type ScaledObject, SYNC_SECONDS } from '../harness/helm/autoscaler.ts';
import { renderChart } from '../harness/helm/render-chart.ts';

/** Cores that the chart requests for a worker, and that its one thread can use. */
const CPU_REQUEST = 0.5;
const CPU_LIMIT = 1;
/** Runs that a worker of the chart holds at most (WORKER_CONCURRENCY). */
const PLACES = 100;
/** From a Pod's creation until it takes jobs, in s: an image that is there already, and the start of the process. */
const START_SECONDS = 15;
const HOUR = 3_600;

/** What one worker's queue looked like under 125 runs/s of 2 s for a minute: `npm run bench -- --scenario overload`. */
const RECORDED = JSON.parse(readFileSync(repositoryPath('tests/deployment/recordings/overload.json'), 'utf8')) as {
  readonly waitingJobs: readonly number[];
  readonly heldRuns: readonly number[];
  readonly oldestWaitingSeconds: readonly number[];
};

/** Returns the ScaledObject of the chart with KEDA. */
function scaledObject(keda: object = {}): ScaledObject {
  const chart = renderChart(repositoryPath('infra/helm/deckhand'), {
    secrets: { existingSecret: 'deckhand' },
    worker: { keda: { enabled: true, redis: { address: 'redis:6379' }, ...keda } },
  });
  const found = chart.find(({ kind }) => kind === 'ScaledObject');
  if (found === undefined) throw new Error('the chart has no ScaledObject');
  return found as ScaledObject;
}

/** Runs of one kind. */
interface Runs {
  /** How long a run occupies a place of its worker, and the CPU that it needs in that time, in s. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Runs that start per second, by time in s. */
  perSecond(at: number): number;
}

interface Second {
  readonly pods: number;
  readonly waitingJobs: number;
  /** How long a run that arrives now waits for a worker, in s. */
  readonly latency: number;
}

/** Simulates the fleet, second by second: runs arrive one by one, each with a job of its own. */
function simulate(scaled: ScaledObject, runs: Runs, seconds = HOUR): Second[] {
  const autoscaler = createAutoscaler(scaled, { cpuRequest: CPU_REQUEST });
  const perWorker = Math.min(PLACES / runs.seconds, CPU_LIMIT / runs.cpuSeconds);
  const result: Second[] = [];
  /** Times at which Pods are ready. */
  let readyAt = Array.from({ length: scaled.spec.minReplicaCount }, () => 0);
  let waiting = 0;
  let last: Load = { waitingJobs: 0, heldRuns: 0, cpu: 0, pods: readyAt.length, readyPods: readyAt.length };
  for (let at = 0; at < seconds; at += 1) {
    if (at % SYNC_SECONDS === 0) {
      const pods = autoscaler.decide(at, last);
      while (readyAt.length < pods) readyAt.push(at + START_SECONDS);
      readyAt = readyAt.slice(0, pods);
    }
    const readyPods = readyAt.filter((time) => time <= at).length;
    const capacity = readyPods * perWorker;
    const offered = waiting + runs.perSecond(at);
    const started = Math.min(offered, capacity);
    waiting = offered - started;
    const heldRuns =
      waiting > 0 ? Math.min(readyPods * PLACES, capacity * runs.seconds + waiting) : started * runs.seconds;
    last = { waitingJobs: waiting, heldRuns, cpu: started * runs.cpuSeconds, pods: readyAt.length, readyPods };
    result.push({ pods: readyAt.length, waitingJobs: waiting, latency: waiting / capacity });
  }
  return result;
}

/** Returns how often the number of Pods turns from growing to shrinking or back. */
function turns(series: readonly Second[]): number {
  const steps = series.slice(1).map(({ pods }, index) => Math.sign(pods - (series[index]?.pods ?? pods)));
  const directions = steps.filter((step) => step !== 0);
  return directions.filter((step, index) => index > 0 && step !== directions[index - 1]).length;
}

const most = (series: readonly Second[], of: (second: Second) => number) => Math.max(...series.map(of));

const steady = (perSecond: number) => (at: number) => (at < 60 ? 5 : perSecond);

/** 500 places are needed at 250 a second, and hardly any CPU. */
const CALLS = { seconds: 2, cpuSeconds: 0.001, perSecond: steady(250) };
/** Four workers compute all the time at 2,000 a second. */
const COMPUTING = { seconds: 0.01, cpuSeconds: 0.002, perSecond: steady(2_000) };

describe('the autoscaler of workers', () => {
  it.each([
    ['runs that wait for others', CALLS, 8],
    ['runs that compute', COMPUTING, 10],
  ])('of %s, has enough workers within a minute, then stays at one number', (_, runs, settled) => {
    const series = simulate(scaledObject(), runs);
    expect(most(series.slice(120), ({ latency }) => latency)).toBe(0);
    expect(turns(series)).toBeLessThanOrEqual(1);
    expect(new Set(series.slice(900).map(({ pods }) => pods))).toEqual(new Set([settled]));
  });

  it('asks for more workers with its first look at a recorded overload, and twice as many with each further one', () => {
    const autoscaler = createAutoscaler(scaledObject({ minReplicas: 1 }), { cpuRequest: CPU_REQUEST });
    let pods = 1;
    const decisions = [15, 30, 45, 60].map((at) => {
      // One worker was recorded, whatever is decided: those that are added are not ready yet.
      const [waitingJobs = 0, heldRuns = 0] = [RECORDED.waitingJobs[at], RECORDED.heldRuns[at]];
      pods = autoscaler.decide(at, { waitingJobs, heldRuns, cpu: 0, pods, readyPods: 1 });
      return { pods, waits: RECORDED.oldestWaitingSeconds[at] };
    });
    expect(decisions).toEqual([
      { pods: 5, waits: 11 },
      { pods: 10, waits: 22 },
      { pods: 20, waits: 32 },
      { pods: 20, waits: 43 },
    ]);
  });

  it('would swing without the runs that workers hold: once nothing waits, it would remove the workers that see to it', () => {
    const series = simulate(scaledObject({ postgres: { connectionKey: '' } }), CALLS);
    expect(turns(series)).toBeGreaterThan(10);
    expect(most(series.slice(900), ({ latency }) => latency)).toBeGreaterThan(5);
  });

  it('follows a load that doubles and halves every ten minutes, without swinging in between', () => {
    const perSecond = (at: number) => (Math.floor(at / 600) % 2 === 0 ? 150 : 300);
    const series = simulate(scaledObject(), { ...CALLS, perSecond });
    // Up and down once at its start and each of the three times that it doubles.
    expect(turns(series)).toBe(7);
    expect(most(series.slice(660), ({ latency }) => latency)).toBeLessThan(15);
  });

  it('removes no worker for a pause that is shorter than its cooldown', () => {
    const perSecond = (at: number) => (at >= 1_800 && at < 2_040 ? 0 : 250);
    const pods = simulate(scaledObject(), { ...CALLS, perSecond }).map((second) => second.pods);
    expect(Math.min(...pods.slice(900))).toBe(8);
  });

  it('returns to the fewest workers after the load, no earlier than the cooldown', () => {
    const series = simulate(scaledObject(), { ...CALLS, perSecond: (at) => (at < 1_800 ? 250 : 0) });
    expect(series[1_800 + 290]?.pods).toBe(8);
    expect(series[1_800 + 330]?.pods).toBe(2);
  });
});
