import { connectRedis, createRunQueue } from '@deckhand/queue';
import { afterAll, expect, it } from '@jest/globals';
import { startTestRedis, stopAll, stopLater, until } from '../../harness/index.js';
import { repositoryPath } from '../../harness/deployment/repository-file.js';
import { type Manifest, renderChart } from '../../harness/helm/render-chart.js';

afterAll(stopAll);

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

  const keda = { enabled: true, redis: { address: 'redis:6379' } };
  const values = { secrets: { existingSecret: 'deckhand' }, worker: { keda } };
  const scaler = renderChart(repositoryPath('infra/helm/deckhand'), values).find(({ kind }) => kind === 'ScaledObject');
  const { spec } = scaler as Manifest & { spec: { triggers: { type: string; metadata: Record<string, string> }[] } };
  const set = spec.triggers.find(({ type }) => type === 'redis')?.metadata.listName ?? '';
  expect(await redis.zcard(set)).toBe(3);
});
