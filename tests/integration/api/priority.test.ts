import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, dispatchAgain, findUnclaimed, startRuns } from '@deckhand/db';
import { v7 as uuidv7 } from 'uuid';
import {
  callWithKey,
  chain,
  createHook,
  createWorkflow,
  type Instance,
  sendHook,
  startInstance,
  startTestWorker,
  stopAll,
  UNCOUNTED,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let db: Database;
let workflowId: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ db } = instance);
  workflowId = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const execute = (body: object, id = workflowId) => call('POST', `/api/workflows/${id}/execute`, body);
const readRun = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;

async function start(priority?: number, id = workflowId): Promise<string> {
  const { status, body, text } = await execute(priority === undefined ? {} : { priority }, id);
  if (status !== 202) throw new Error(text);
  return body.executionId;
}

describe('the priority of a run', () => {
  it('is shown, and 0 by default; others than -2 to 2 are refused', async () => {
    expect(await readRun(await start())).toMatchObject({ priority: 0 });
    expect(await readRun(await start(0))).toMatchObject({ priority: 0 });
    expect(await readRun(await start(-2))).toMatchObject({ priority: -2 });
    for (const priority of [3, -3, 0.5, 'high']) {
      const { status, body } = await execute({ priority });
      expect([status, body.details?.[0]?.path]).toEqual([400, 'priority']);
    }
    const { path } = await createHook(instance, { options: { priority: 1 } });
    expect(await readRun((await sendHook(instance.gateway, path)).body.executionId)).toMatchObject({ priority: 1 });
  });

  it('stays with the run when its job is lost, or its process died before it queued the run', async () => {
    const executionId = uuidv7();
    const { userId } = await db.membership.findFirstOrThrow({ where: { workspaceId: instance.workspaceId } });
    await startRuns(
      db,
      [
        {
          executionId,
          workflowId,
          actor: { userId, boundTo: null },
          triggerNodeId: null,
          mode: 'normal',
          source: 'api',
          triggerData: '{}',
          options: JSON.stringify({ priority: 2 }),
        },
      ],
      UNCOUNTED,
    );
    const found = await findUnclaimed(db, { olderThanMs: -1_000, limit: 1_000 });
    const lost = found.filter((run) => run.executionId === executionId);
    expect(await dispatchAgain(db, lost)).toMatchObject([{ executionId, dispatch: 2, priority: 2 }]);
    // Nobody queues it: without this, a worker of another test would have to recover it.
    await call('POST', `/api/executions/${executionId}/stop`);
  });

  it('decides which run a busy worker begins next, and none is left out', async () => {
    const other = await createWorkflow(instance, chain({ id: 'a', type: 'set', parameters: { fields: {} } }));
    const normal = [];
    for (let i = 0; i < 20; i += 1) normal.push(await start(undefined, other));
    const [low, high, higher] = [await start(-1, other), await start(1, other), await start(2, other)];
    const child = chain({ id: 'sub', type: 'workflow', parameters: { workflowId: other, options: { priority: 2 } } });
    const parent = await createWorkflow(instance, child);
    await start(2, parent);
    const worker = await startTestWorker(instance, { concurrency: 1 });
    const rows = await until(async () => {
      const found = await db.execution.findMany({ where: { workflowId: other }, orderBy: { startedAt: 'asc' } });
      return found.length === 24 && found.every(({ status }) => status === 'success') && found;
    });
    const ids = rows.filter(({ parentExecutionId }) => parentExecutionId === null).map(({ id }) => id);
    expect(ids.slice(0, 2)).toEqual([higher, high]);
    expect(ids.slice(2, -1)).toEqual(normal);
    expect(ids.at(-1)).toBe(low);
    expect(rows.findIndex(({ parentExecutionId }) => parentExecutionId !== null)).toBeLessThan(20);
    await worker.stop();
  });
});
