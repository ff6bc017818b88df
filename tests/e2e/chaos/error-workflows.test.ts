import { createDatabase, type Database } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  chain,
  createRandom,
  createTestDatabase,
  seedWorkflow,
  spawnApp,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

const KILLS = 4;
/** Runs that are accepted before each kill, and after the last one. */
const RUNS_EACH = 240;
const RUNS = RUNS_EACH * (KILLS + 1);

let env: Record<string, string>;
let db: Database;

beforeAll(async () => {
  const [database, redis] = [await createTestDatabase(), await startTestRedis()];
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

describe('error workflows whose workers are killed again and again', () => {
  it('run once for each failed run', async () => {
    const seed = await seedWorkflow(db, chain({ id: 'a', type: 'fail', parameters: { message: 'No' } }));
    const handler = await seedWorkflow(db, chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }));
    const { latestVersionId } = await db.workflow.findUniqueOrThrow({ where: { id: handler.workflowId } });
    await db.workflow.update({
      where: { id: handler.workflowId },
      data: { workspaceId: seed.workspaceId, status: 'active', activeVersionId: latestVersionId },
    });
    await db.workspace.update({ where: { id: seed.workspaceId }, data: { errorWorkflowId: handler.workflowId } });
    const acceptRuns = async () => {
      for (let n = 0; n < RUNS_EACH; n += 1) await seed.accept({ n });
    };
    const reports = () => db.execution.count({ where: { workflowId: handler.workflowId } });
    const random = createRandom();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await acceptRuns();
      const before = await reports();
      const worker = await spawnApp('worker', env);
      await until(async () => (await reports()) > before, 'reports');
      await sleep(random() * 200);
      await worker.kill('SIGKILL');
    }
    await acceptRuns();
    const worker = await spawnApp('worker', env);
    const succeeded = () => db.execution.count({ where: { workflowId: handler.workflowId, status: 'success' } });
    await until(async () => (await succeeded()) === RUNS, 'the last report');
    expect(await db.errorStart.count()).toBe(0);
    expect(await reports()).toBe(RUNS);
    const failed = await db.execution.findMany({ where: { workflowId: seed.workflowId } });
    const ofFailed = await db.execution.findMany({ where: { workflowId: handler.workflowId } });
    expect(failed.every(({ status }) => status === 'failed')).toBe(true);
    expect(ofFailed.map(({ id, errorOf }) => [errorOf, id]).sort()).toEqual(
      failed.map(({ id, errorExecutionId }) => [id, errorExecutionId]).sort(),
    );
    await worker.stop();
  });
});
