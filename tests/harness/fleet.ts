import { spawnApp, type TestApp } from './apps.ts';
import { createWorkflow, type Instance, startInstance } from './gateway.ts';
import { expectWithin } from './promises.ts';
import { chain } from './seed.ts';
import type { TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

/** docs/failure-modes.md: the fleet shows each state of a worker within 3 s. */
const SHOWN_MS = 3_000;

/** Counts of workers, as the API reports them. */
interface WorkerCounts {
  readonly live: number;
  readonly consuming: number;
}

/** The API's response about the fleet. */
interface Fleet {
  readonly workers: WorkerCounts;
  readonly data: readonly { readonly pid: number; readonly state: string; readonly lastSeenAt: string }[];
}

/** How long the fleet took to show a state. */
interface Seen {
  readonly what: string;
  readonly ms: number;
}

/** An instance with an API process and no worker, whose fleet a test reads. */
export interface ObservedFleet {
  readonly instance: Instance;
  readonly readFleet: () => Promise<Fleet>;
  readonly execute: (workflowId: string) => Promise<{ executionId: string; workers: WorkerCounts; warning?: string }>;
  readonly statusOf: (executionId: string) => Promise<string>;
  /** Waits until the API reports this state of a worker and these counts; `gone` is a worker that is not listed. */
  readonly untilSeen: (what: string, worker: TestApp, state: string, workers: WorkerCounts) => Promise<Seen>;
  /** Starts a worker process, with its stores behind the given proxies. */
  readonly startWorker: (
    proxies?: { postgres?: TcpProxy; redis?: TcpProxy },
    settings?: Readonly<Record<string, string>>,
  ) => Promise<TestApp>;
  /** Creates a workflow that ends at once. */
  readonly createQuick: () => Promise<string>;
}

/** Starts stores and an API process. */
export async function startObservedFleet(): Promise<ObservedFleet> {
  const instance = await startInstance();
  const stores = { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url };
  const api = await spawnApp('api', stores);

  async function call<T>(method: string, path: string): Promise<T> {
    const response = await fetch(api.url + path, { method, headers: { 'x-api-key': instance.key } });
    if (![200, 202].includes(response.status)) throw new Error(`${method} ${path}: ${response.status}`);
    return (await response.json()) as T;
  }
  const readFleet = () => call<Fleet>('GET', '/api/monitoring/fleet');

  return {
    instance,
    readFleet,
    execute: (workflowId) => call('POST', `/api/workflows/${workflowId}/execute`),
    statusOf: async (id) =>
      (await instance.db.execution.findUniqueOrThrow({ where: { id }, select: { status: true } })).status,
    async untilSeen(what, worker, state, workers) {
      const since = performance.now();
      await until(async () => {
        const fleet = await readFleet();
        const now = fleet.data.find(({ pid }) => pid === worker.pid)?.state ?? 'gone';
        return now === state && fleet.workers.live === workers.live && fleet.workers.consuming === workers.consuming;
      }, `${what}: ${state}`);
      return { what: `${what}: ${state}`, ms: performance.now() - since };
    },
    startWorker: ({ postgres, redis } = {}, settings = {}) =>
      spawnApp('worker', {
        DATABASE_URL: postgres?.url ?? stores.DATABASE_URL,
        REDIS_URL: redis?.url ?? stores.REDIS_URL,
        ...settings,
      }),
    createQuick: () => createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } })),
  };
}

/** Expects that each state was shown as soon as docs/failure-modes.md promises. */
export function expectSoon(...seen: readonly Seen[]): void {
  for (const { what, ms } of seen) expectWithin({ what, ms: SHOWN_MS }, ms);
}
