import { Queue } from 'bullmq';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { FLOOR_QUEUE, type FloorJob } from '../floor/queue.ts';
import type { Floor } from '../floor/start.ts';

const POLL_MS = 25;

/**
 * Inserts rows and adds a job for each, so many at once, until the floor's worker has processed and updated them all.
 * @returns jobs a second.
 */
export async function runBareJobs(floor: Floor, count: number, concurrency: number): Promise<number> {
  const db = new pg.Pool({ connectionString: floor.databaseUrl, max: 10 });
  const queue = new Queue<FloorJob>(FLOOR_QUEUE, {
    connection: { url: floor.redisUrl },
    defaultJobOptions: { removeOnComplete: true },
  });
  const data = JSON.stringify({ order: 'A-1', amount: 45, quantity: 3 });
  let left = count;
  async function producer(): Promise<void> {
    while (left > 0) {
      left -= 1;
      const runId = randomUUID();
      await db.query(`INSERT INTO floor_runs (id, status, data) VALUES ($1, 'pending', $2)`, [runId, data]);
      await queue.add('job', { runId });
    }
  }
  try {
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: concurrency }, producer));
    for (;;) {
      const { waiting = 0, active = 0, prioritized = 0 } = await queue.getJobCounts('waiting', 'active', 'prioritized');
      if (waiting + active + prioritized === 0) break;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return (count * 1_000) / (performance.now() - startedAt);
  } finally {
    await queue.close();
    await db.end();
  }
}
