import { createBulkAction, createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  chain,
  createRandom,
  createTestDatabase,
  type Seed,
  seedWorkflow,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

const RUNS = 1_500;
const RATE = 250;
const KILLS = 4;

let env: Record<string, string>;
let db: Database;
let seed: Seed;

beforeAll(async () => {
  const [database, redis] = [await createTestDatabase(), await startTestRedis()];
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  seed = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
});
afterAll(stopAll);

/** Adds runs without jobs, failed ones or resting ones. @returns their ids. */
async function addRuns(isFinished: boolean): Promise<string[]> {
  const id = await seed.accept();
  const rows = await db.$queryRaw<{ id: string }[]>`
    INSERT INTO executions (id, workspace_id, workflow_id, workflow_version_id, source, trigger_node_id, trigger_data,
      created_at, dispatched_at, deadline_at, claimed_dispatch, status, finished_at)
    SELECT overlay(gen_random_uuid()::text PLACING left(first_id_of(now())::text, 13) FROM 1)::uuid, workspace_id,
      workflow_id, workflow_version_id, source, trigger_node_id, trigger_data, now(), now(), deadline_at, 1,
      ${isFinished ? 'failed' : 'waiting_for_input'}::execution_status, CASE WHEN ${isFinished} THEN now() END
    FROM executions, generate_series(1, ${RUNS}) WHERE id = ${id}::uuid
    RETURNING id`;
  return rows.map((row) => row.id);
}

describe('bulk actions whose workers are killed again and again', () => {
  it('act on each run once', async () => {
    const runs = { stop: await addRuns(false), rerun: await addRuns(true), delete: await addRuns(true) };
    const start = (action: keyof typeof runs) => {
      const body = { workspaceId: seed.workspaceId, action, ratePerSecond: RATE };
      return createBulkAction(db, { userId: seed.userId, boundTo: null }, body, runs[action]);
    };
    const actions = [await start('stop'), await start('rerun'), await start('delete')];
    const left = () => db.bulkActionRun.count();
    const random = createRandom();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = await left();
      const worker = await spawnApp('worker', env);
      await until(async () => (await left()) < before, 'a batch');
      await sleep(random() * 300);
      await worker.kill('SIGKILL');
    }
    expect(await left()).toBeGreaterThan(0);
    const worker = await spawnApp('worker', env);
    await until(async () => (await left()) === 0, 'the last batch');
    for (const { id } of actions) {
      expect(await db.bulkAction.findUniqueOrThrow({ where: { id } })).toMatchObject({
        status: 'finished',
        done: RUNS,
        failed: 0,
        skipped: 0,
      });
    }
    const stopped = await db.execution.groupBy({ by: ['status', 'epoch'], where: { id: { in: runs.stop } } });
    expect(stopped).toEqual([{ status: 'stopped', epoch: 1 }]);
    expect(await db.execution.count({ where: { id: { in: runs.delete } } })).toBe(0);
    const rerunsOf = (where: object) => db.execution.findMany({ where: { rerunOf: { not: null }, ...where } });
    await until(async () => (await rerunsOf({ status: 'success' })).length >= RUNS, 'the reruns');
    expect((await rerunsOf({})).map(({ rerunOf }) => rerunOf).sort()).toEqual([...runs.rerun].sort());
    await worker.stop();
  });
});
