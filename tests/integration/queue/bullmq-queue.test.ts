import { createRunQueue, openRunConsumer, QUEUE_PREFIX, RUN_QUEUE } from '@deckhand/queue';
import { Queue } from 'bullmq';
import { describeQueueContract } from '../../harness/index.ts';

describeQueueContract({
  name: 'BullMQ',
  openQueue: (redis) => createRunQueue(redis),
  openConsumer: (options) =>
    openRunConsumer({ ...options, onError: () => undefined, lockMs: 1_000, stalledIntervalMs: 500 }),
  async addRaw(connection, name, json) {
    const queue = new Queue(RUN_QUEUE, { connection, prefix: QUEUE_PREFIX });
    await queue.add('run', JSON.parse(json), { jobId: name, removeOnComplete: true });
    await queue.close();
  },
});
