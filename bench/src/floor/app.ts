// The floor that Deckhand is compared with: the minimum that a service of this kind costs if it is written
// straightforwardly, with the same libraries, databases and machine. `api` has a route per scenario, `worker` processes
// the jobs.
import { parseJson, parseOwnJson } from '@deckhand/contracts';
import { Ajv } from 'ajv';
import { Queue, QueueEvents, Worker } from 'bullmq';
import express from 'express';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { FLOOR_QUEUE, type FloorJob } from './queue.ts';

const CONCURRENCY = 100;
const WAIT_MS = 60_000;
const MAX_BODY = '20mb';

const BODY = {
  type: 'object',
  properties: { input: { type: 'object' }, executionMode: { enum: ['normal', 'test', 'debug', 'sandbox'] } },
  additionalProperties: false,
};

async function main(): Promise<void> {
  const [role] = process.argv.slice(2);
  const connection = { url: process.env.REDIS_URL ?? '', maxRetriesPerRequest: null };
  const db = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  if (role === 'worker') await work(connection, db);
  else await serve(connection, db);
}

async function work(connection: { url: string; maxRetriesPerRequest: null }, db: pg.Pool): Promise<void> {
  const finish = `UPDATE floor_runs SET status = 'success', finished_at = now() WHERE id = $1`;
  const worker = new Worker<FloorJob>(
    FLOOR_QUEUE,
    async ({ data }) => {
      if (data.runId !== undefined) await db.query(finish, [data.runId]);
      return data.echo;
    },
    { connection, concurrency: CONCURRENCY },
  );
  await worker.waitUntilReady();
}

async function serve(connection: { url: string; maxRetriesPerRequest: null }, db: pg.Pool): Promise<void> {
  const queue = new Queue<FloorJob>(FLOOR_QUEUE, {
    connection,
    defaultJobOptions: { removeOnComplete: { count: 10_000 } },
  });
  const events = new QueueEvents(FLOOR_QUEUE, { connection });
  await events.waitUntilReady();
  // One listener a waiting request.
  events.setMaxListeners(0);
  const isValid = new Ajv().compile(BODY);
  const app = express();
  app.get('/readyz', (_request, response) => void response.end());

  /** Validates, inserts a row, adds a job. */
  app.post('/accept', express.json({ limit: MAX_BODY }), async (request, response) => {
    if (!isValid(request.body)) {
      response.status(400).json(isValid.errors);
      return;
    }
    const id = randomUUID();
    const data = JSON.stringify(request.body);
    await db.query(`INSERT INTO floor_runs (id, status, data) VALUES ($1, 'pending', $2)`, [id, data]);
    await queue.add('job', {});
    response.status(202).json({ executionId: id, status: 'pending' });
  });

  /** Adds a job and waits for its result. */
  app.post('/wait', express.text({ type: () => true }), async (request, response) => {
    const job = await queue.add('job', { echo: parseJson(String(request.body)) });
    const result: unknown = await job.waitUntilFinished(events, WAIT_MS);
    response.json(result);
  });

  /** One indexed select. */
  app.get('/runs/:id', async (request, response) => {
    const { rows } = await db.query(
      'SELECT id, status, data, created_at AS "createdAt", finished_at AS "finishedAt" FROM floor_runs WHERE id = $1',
      [request.params.id],
    );
    response.json(rows[0]);
  });

  /** Parses a large body, inserts it, and writes as much again as the result. */
  app.post('/large', express.text({ type: () => true, limit: MAX_BODY }), async (request, response) => {
    const body = parseOwnJson<object>(String(request.body));
    const id = randomUUID();
    const insert = `INSERT INTO floor_runs (id, status, data) VALUES ($1, 'pending', $2)`;
    await db.query(insert, [id, JSON.stringify(body)]);
    await db.query(insert, [randomUUID(), JSON.stringify(body)]);
    response.json({ executionId: id });
  });

  app.listen(Number(process.env.PORT), '127.0.0.1');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
