import { Prisma } from '@deckhand/db';
import { connectRedis, createRunQueue } from '@deckhand/queue';
import { afterAll, expect, it } from '@jest/globals';
import {
  chain,
  seedWorkflow,
  startStores,
  startTestRedis,
  startTestWorker,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';
import { repositoryPath } from '../../harness/deployment/repository-file.ts';
import type { ScaledObject } from '../../harness/helm/autoscaler.ts';
import { renderChart } from '../../harness/helm/render-chart.ts';

afterAll(stopAll);

/** Returns what a trigger of the chart's scaler says. */
function trigger(type: string): Readonly<Record<string, string>> {
  const keda = { enabled: true, redis: { address: 'redis:6379' } };
  const values = { secrets: { existingSecret: 'deckhand' }, worker: { keda } };
  const scaler = renderChart(repositoryPath('infra/helm/deckhand'), values).find(({ kind }) => kind === 'ScaledObject');
  const found = (scaler as ScaledObject | undefined)?.spec.triggers.find((one) => one.type === type);
  if (!found) throw new Error(`the scaler has no trigger ${type}`);
  return found.metadata;
}

it('the chart scales workers by the jobs that wait in the queue', async () => {
  const { url } = await startTestRedis();
  const redis = connectRedis(url, { role: 'producer' });
  const queue = createRunQueue(redis);
  stopLater({
    stop: async () => {
      await queue.close();
      redis.disconnect();
    },
  });
  await until(() => redis.status === 'ready');
  await queue.add(['a', 'b', 'c'].map((executionId) => ({ workspaceId: 'w', executionId, dispatch: 1 })));

  expect(await redis.zcard(trigger('redis').listName ?? '')).toBe(3);
});

it('the chart scales workers by the runs that they hold, which PostgreSQL counts by an index', async () => {
  const stores = await startStores();
  const query = Prisma.raw(trigger('postgresql').query ?? '');
  const count = async () => {
    const [row] = await stores.db.$queryRaw<{ count: bigint }[]>(Prisma.sql`${query}`);
    return Number(row?.count);
  };
  expect(await count()).toBe(0);
  const sleeps = { id: 'a', type: 'code', parameters: { source: 'for (;;) {}' }, timeoutSeconds: 60 };
  const seed = await seedWorkflow(stores.db, chain(sleeps));
  const runs = await Promise.all([seed.accept(), seed.accept()]);
  const worker = await startTestWorker(stores, { mayRecover: true });
  await until(async () => (await count()) === runs.length);
  await worker.stop();

  const plan = await stores.db.$transaction(async (tx) => {
    await tx.$executeRaw(Prisma.sql`SET LOCAL enable_seqscan = off`);
    return tx.$queryRaw<Record<string, string>[]>(Prisma.sql`EXPLAIN ${query}`);
  });
  // With sequential scans discouraged, one is left only where no index serves.
  expect(plan.flatMap((row) => Object.values(row)).join('\n')).not.toContain('Seq Scan');
});
