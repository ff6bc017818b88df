// What is timed beside webhooks on completion: the least that an answer through a queue can cost. `api` serves a route that adds a
// job and waits for its result, `worker` answers the jobs.
import { parseJson } from '@deckhand/contracts';
import { Queue, QueueEvents, Worker } from 'bullmq';
import express from 'express';

const QUEUE = 'floor';
const CONCURRENCY = 100;
const WAIT_MS = 60_000;

async function main(): Promise<void> {
  const [role] = process.argv.slice(2);
  const connection = { url: process.env.REDIS_URL ?? '', maxRetriesPerRequest: null };
  if (role === 'worker') {
    const worker = new Worker(QUEUE, (job) => Promise.resolve(job.data), { connection, concurrency: CONCURRENCY });
    await worker.waitUntilReady();
    return;
  }
  const queue = new Queue(QUEUE, { connection, defaultJobOptions: { removeOnComplete: { count: 10_000 } } });
  const events = new QueueEvents(QUEUE, { connection });
  await events.waitUntilReady();
  // One listener a waiting request.
  events.setMaxListeners(0);
  const app = express();
  app.use(express.text({ type: () => true }));
  app.get('/readyz', (_request, response) => void response.end());
  app.post('/floor', async (request, response) => {
    const job = await queue.add('job', parseJson(String(request.body)));
    response.json(await job.waitUntilFinished(events, WAIT_MS));
  });
  app.listen(Number(process.env.PORT), '127.0.0.1');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
