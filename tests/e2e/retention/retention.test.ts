import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  callWithKey,
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let worker: Awaited<ReturnType<typeof startTestWorker>>;

beforeAll(async () => {
  instance = await startInstance();
  worker = await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = (id: string) => call('GET', `/api/executions/${id}`);

/** More than 64 KiB of incompressible data. */
const LARGE = Array.from({ length: 10_000 }, (_, n) => ((n * 7919) % 65_521).toString(36))
  .join(' ')
  .padEnd(70_000, '.');

async function execute(definition: object, input: object = {}): Promise<string> {
  const workflowId = await createWorkflow(instance, definition);
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, { input });
  return body.executionId;
}

async function finished(id: string): Promise<string> {
  await until(async () => (await read(id)).body.finishedAt, `the end of ${id}`);
  return id;
}

/** Makes a run look as if it had ended so many days ago. */
const age = (id: string, days: number) =>
  instance.db.execution.update({ where: { id }, data: { finishedAt: new Date(Date.now() - days * 86_400_000) } });

const setRetention = async (dataRetentionDays: number | null, runRetentionDays: number | null) => {
  const body = {
    dataRetentionDays,
    runRetentionDays,
    defaultExecutionsPerMinute: null,
    defaultStorageQuotaBytes: null,
  };
  const { status } = await instance.gateway.call('PUT', '/api/admin/settings', { as: instance.session, body });
  expect(status).toBe(200);
};

const echo = chain({ id: 'echo', type: 'set', parameters: { fields: { said: '{{ $trigger.word }}' } } });
const failing = chain({ id: 'no', type: 'fail', parameters: { message: 'no stock of {{ $trigger.word }}' } });
const looping = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'each', type: 'loop', parameters: { items: '{{ $trigger.items }}' } },
    { id: 'it', type: 'set', parameters: { fields: { item: '{{ $loop.item }}' } } },
  ],
  edges: [
    { source: 'start', target: 'each' },
    { source: 'each', sourceHandle: 'body', target: 'it' },
  ],
};
const asking = chain({ id: 'ask', type: 'approval', parameters: { message: 'Go on?' } });

/** Rows of a run, by table. */
async function rowsOf(executionId: string): Promise<Record<string, number>> {
  const { db } = instance;
  const where = { executionId };
  return {
    executions: await db.execution.count({ where: { id: executionId } }),
    nodeRuns: await db.nodeRun.count({ where }),
    nodeIterations: await db.nodeIteration.count({ where }),
    waits: await db.wait.count({ where }),
    largeOutputs: await db.largeOutput.count({ where }),
    texts: await db.executionText.count({ where }),
  };
}

describe('retention', () => {
  it('takes data first, then whole runs, and nothing of what is not old or not over', async () => {
    const fresh = await finished(await execute(echo, { word: 'fresh' }));
    const large = await finished(await execute(echo, { word: LARGE }));
    const loop = await finished(await execute(looping, { items: ['a', 'b'] }));
    const failed = await finished(await execute(failing, { word: 'zirconium' }));
    const gone = await finished(await execute(looping, { items: ['c'] }));
    const goneLarge = await finished(await execute(echo, { word: LARGE }));
    const resting = await execute(asking);
    await until(async () => (await read(resting)).body.status === 'waiting_for_input', 'the question');
    expect(await rowsOf(large)).toMatchObject({ largeOutputs: 2 });
    await instance.db.execution.update({
      where: { id: resting },
      data: { createdAt: new Date(0), startedAt: new Date(0) },
    });
    const data = { debug: '{"request":"secret"}', state: '{}', attemptHistory: '[]' };
    await instance.db.nodeRun.updateMany({ where: { executionId: loop }, data });
    await instance.db.nodeIteration.updateMany({ where: { executionId: loop }, data });
    for (const id of [large, loop, failed]) await age(id, 8);
    for (const id of [gone, goneLarge]) await age(id, 31);

    await setRetention(7, 30);
    await until(async () => (await read(goneLarge)).status === 404, 'the end of what is old');
    await until(async () => (await read(failed)).body.data.trigger === null, 'the end of old data');
    await until(async () => (await read(large)).body.data.trigger === null, 'the end of old data');
    await until(async () => (await read(loop)).body.data.trigger === null, 'the end of old data');

    for (const id of [gone, goneLarge]) {
      await until(async () => (await rowsOf(id)).executions === 0, `the end of ${id}`);
      expect(Object.values(await rowsOf(id))).toEqual([0, 0, 0, 0, 0, 0]);
    }
    expect(await rowsOf(large)).toMatchObject({ executions: 1, nodeRuns: 2, largeOutputs: 0 });
    expect((await read(large)).body).toMatchObject({ status: 'success', data: { trigger: null } });
    expect((await call('GET', `/api/executions/${large}/nodes/echo/output`)).status).toBe(404);
    expect((await call('GET', `/api/executions/${loop}/nodes/it/output?iteration=0`)).status).toBe(404);
    const where = { executionId: loop };
    for (const row of [
      ...(await instance.db.nodeRun.findMany({ where })),
      ...(await instance.db.nodeIteration.findMany({ where })),
    ]) {
      expect(row).toMatchObject({ output: null, outputRef: null, state: null, debug: null, attemptHistory: null });
    }
    expect((await call('POST', `/api/executions/${loop}/rerun`)).body.code).toBe('TRIGGER_DATA_GONE');
    expect((await read(failed)).body).toMatchObject({ status: 'failed', error: { message: 'no stock of zirconium' } });

    expect((await read(fresh)).body).toMatchObject({
      data: { trigger: { word: 'fresh' } },
      progress: { echo: { output: { said: 'fresh' } } },
    });
    expect((await read(resting)).body.status).toBe('waiting_for_input');
    const decision = { executionId: resting, nodeId: 'ask', approved: true };
    expect((await call('POST', '/api/approvals/submit', decision)).status).toBe(200);
    expect((await read(await finished(resting))).body.status).toBe('success');
  });

  it('leaves a failed run to be found by its error, no longer by its data', async () => {
    await setRetention(null, null);
    const failed = await finished(await execute(failing, { word: 'palladium', secret: 'xylophone' }));
    const find = async (search: string) =>
      (await call('GET', `/api/executions?workspaceId=${instance.workspaceId}&search=${search}`)).body.data.map(
        ({ id }) => id!,
      );
    expect(await find('xylophone')).toEqual([failed]);
    await age(failed, 2);
    await setRetention(1, null);
    await until(async () => (await find('xylophone')).length === 0, 'the end of its data');
    expect(await find('palladium')).toEqual([failed]);
  });

  it('gives the bytes back to the workspace', async () => {
    await setRetention(null, null);
    const { db, workspaceId } = instance;
    const stored = async () => {
      const { storedBytes } = await db.workspace.findUniqueOrThrow({ where: { id: workspaceId } });
      const sum = await db.execution.aggregate({ where: { workspaceId }, _sum: { storedBytes: true } });
      return { counted: Number(storedBytes), kept: Number(sum._sum.storedBytes ?? 0) };
    };
    const old = await finished(await execute(echo, { word: LARGE }));
    await until(async () => (await stored()).counted === (await stored()).kept, 'the count');
    const before = await stored();
    const storedBytes = Number((await db.execution.findUniqueOrThrow({ where: { id: old } })).storedBytes);
    expect(storedBytes).toBeGreaterThan(2 * LARGE.length);
    await age(old, 3);
    await setRetention(null, 2);
    await until(async () => (await read(old)).status === 404, 'the end of the run');
    await until(async () => (await stored()).counted === before.counted - storedBytes, 'the bytes back');
    expect((await stored()).kept).toBe(before.kept - storedBytes);
  });

  it('waits for a run that is being repeated', async () => {
    await setRetention(null, null);
    const original = await execute(asking);
    await until(async () => (await read(original)).body.status === 'waiting_for_input', 'the question');
    await call('POST', '/api/approvals/submit', { executionId: original, nodeId: 'ask', approved: true });
    await finished(original);
    const { body } = await call('POST', `/api/executions/${original}/rerun`);
    await until(async () => (await read(body.executionId)).body.status === 'waiting_for_input', 'its question');
    const other = await finished(await execute(echo, { word: 'other' }));
    for (const id of [original, other]) await age(id, 5);
    await setRetention(1, 2);
    await until(async () => (await read(other)).status === 404, 'the end of the other');
    expect((await read(original)).body.data.trigger).toEqual({});
    await call('POST', `/api/executions/${body.executionId}/stop`);
    await until(async () => (await read(original)).status === 404, 'the end of the original');
  });

  it('fails a run that was accepted before the data it repeats went', async () => {
    await setRetention(null, null);
    const again = { ...echo, nodes: [...echo.nodes, { id: 'b', type: 'set', parameters: { fields: { b: 1 } } }] };
    const original = await finished(
      await execute({ ...again, edges: [...echo.edges, { source: 'echo', target: 'b' }] }),
    );
    await worker.stop();
    const { status, body } = await call('POST', `/api/executions/${original}/rerun`, { fromNodeId: 'b' });
    expect(status).toBe(202);
    // The effect of a retention statement that did not see the new run yet.
    await instance.db.execution.update({ where: { id: original }, data: { triggerData: null } });
    await instance.db.nodeRun.updateMany({ where: { executionId: original }, data: { output: null } });
    worker = await startTestWorker(instance);
    expect((await read(await finished(body.executionId))).body).toMatchObject({
      status: 'failed',
      error: { code: 'TRIGGER_DATA_GONE' },
    });
  });
});
