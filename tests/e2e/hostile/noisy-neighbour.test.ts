import { connectRedis, createRunQueue } from '@deckhand/queue';
import { createDatabase, Prisma } from '@deckhand/db';
import { afterAll, expect, it } from '@jest/globals';
import {
  chain,
  createTestDatabase,
  seedWorkflow,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

/** Number of runs that one workspace has queued before the other starts its first. */
const QUEUED = 50_000;
/** Number of runs of the other, one after another. */
const ASKED = 10;

afterAll(stopAll);

it('a workspace that has queued 50,000 runs does not keep the runs of another waiting', async () => {
  const database = await createTestDatabase();
  const db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  const env = { DATABASE_URL: database.url, REDIS_URL: (await startTestRedis()).url };
  const redis = connectRedis(env.REDIS_URL, { role: 'producer' });
  await until(() => redis.status === 'ready');
  const queue = createRunQueue(redis);
  stopLater({
    stop: async () => {
      await queue.close();
      redis.disconnect();
    },
  });
  const definition = chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } });
  const [noisy, quiet] = [await seedWorkflow(db, definition), await seedWorkflow(db, definition)];

  // One run, as the gateway writes it, and copies of it.
  const model = await noisy.accept();
  await db.$executeRaw(Prisma.sql`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, execution_mode, source, trigger_node_id,
      trigger_data, created_at, dispatched_at, deadline_at, stored_bytes)
    SELECT overlay(gen_random_uuid()::text PLACING left(first_id_of(now())::text, 13) FROM 1)::uuid, workspace_id, workflow_id,
      workflow_version_id, execution_mode, source, trigger_node_id,
      trigger_data, now(), now(), deadline_at, stored_bytes
    FROM executions, generate_series(2, ${QUEUED}::int) WHERE id = ${model}::uuid`);
  const runs = await db.execution.findMany({ where: { workflowId: noisy.workflowId }, select: { id: true } });
  for (let n = 0; n < runs.length; n += 500) {
    const batch = runs.slice(n, n + 500);
    await queue.add(batch.map(({ id }) => ({ workspaceId: noisy.workspaceId, executionId: id, dispatch: 1 })));
  }
  await Promise.all([spawnApp('worker', env), spawnApp('worker', env)]);

  const waits: number[] = [];
  for (let n = 0; n < ASKED; n += 1) {
    const id = await quiet.accept();
    await queue.add([{ workspaceId: quiet.workspaceId, executionId: id, dispatch: 1 }]);
    const startedAt = async () => (await db.execution.findUniqueOrThrow({ where: { id } })).startedAt;
    await until(async () => (await startedAt()) !== null, 'the start of the quiet run');
    const { createdAt } = await db.execution.findUniqueOrThrow({ where: { id } });
    waits.push(((await startedAt())?.getTime() ?? NaN) - createdAt.getTime());
  }
  const pending = await db.execution.count({ where: { workflowId: noisy.workflowId, status: 'pending' } });
  process.stdout.write(
    `noisy neighbour: ${ASKED} runs among ${QUEUED} of another workspace began after ` +
      `${Math.round(Math.min(...waits))} to ${Math.round(Math.max(...waits))} ms; ${pending} of those were still waiting\n`,
  );
  expect(pending).toBeGreaterThan(QUEUED / 10);
});
