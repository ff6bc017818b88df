import { createDatabase, type Database } from '@deckhand/db';
import type { LocalRedis } from '@deckhand/local';
import { connectRedis, createRunQueue, type RunQueue } from '@deckhand/queue';
import { spawnApp, type TestApp } from './apps.ts';
import { stopLater } from './cleanup.ts';
import { createTestDatabase, startTestRedis } from './databases.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { chain, seedWorkflow } from './seed.ts';
import { until } from './until.ts';

/** Nodes of a chain of calls. */
export const CHAIN_NODES = 10;

/** Stores of workers that the test starts and ends itself, and a queue into which it puts their runs. */
export interface WorkerStores {
  readonly db: Database;
  readonly redis: LocalRedis;
  readonly queue: RunQueue;
  startWorker(): Promise<TestApp>;
  statusOf(executionId: string): Promise<string>;
  /** Returns which of the workers has the run. */
  holderOf(executionId: string, workers: readonly TestApp[]): Promise<TestApp>;
}

/** Starts stores without a worker. @param settings further settings of its workers. */
export async function startWorkerStores(settings: Readonly<Record<string, string>> = {}): Promise<WorkerStores> {
  const database = await createTestDatabase();
  const redis = await startTestRedis();
  const db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  const connection = connectRedis(redis.url, { role: 'producer' });
  connection.on('error', () => undefined);
  await until(() => connection.status === 'ready');
  const queue = createRunQueue(connection);
  stopLater({
    stop: async () => {
      await queue.close();
      connection.disconnect();
    },
  });
  const read = (id: string) => db.execution.findUniqueOrThrow({ where: { id } });
  return {
    db,
    redis,
    queue,
    startWorker: () => spawnApp('worker', { DATABASE_URL: database.url, REDIS_URL: redis.url, ...settings }),
    statusOf: async (id) => (await read(id)).status,
    async holderOf(id, workers) {
      const { workerId } = await read(id);
      const holder = workers.find((worker) => workerId !== null && worker.output().includes(workerId));
      if (!holder) throw new Error('no worker holds the run');
      return holder;
    },
  };
}

/** Starts a run of a chain of http nodes, each of which calls a path of its own that responds after the delay. */
export async function startCallChain(
  { db, queue }: WorkerStores,
  delayMs: number,
): Promise<{ readonly id: string; readonly receiver: Receiver }> {
  const receiver = await startReceiver(() => delayMs);
  const nodes = Array.from({ length: CHAIN_NODES }, (_, i) => ({
    id: `n${i}`,
    type: 'http',
    parameters: { url: `${receiver.url}/n${i}`, method: 'POST', body: { i } },
  }));
  const seed = await seedWorkflow(db, chain(...nodes));
  const id = await seed.accept();
  await queue.add([{ workspaceId: seed.workspaceId, executionId: id, dispatch: 1 }]);
  return { receiver, id };
}

/** Returns how often each path was called. */
export function callsByPath(calls: readonly { readonly path: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path } of calls) counts[path] = (counts[path] ?? 0) + 1;
  return counts;
}
