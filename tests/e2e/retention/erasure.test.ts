import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addPerson,
  type Call,
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
  countLockWaits,
} from '../../harness/index.ts';

let instance: Instance;
let workflowId: string;

const call: Call<[body?: unknown, as?: string]> = (method, path, body, as = instance.key) =>
  instance.gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) });
const read = (id: string) => call('GET', `/api/executions/${id}`);
const redact = (id: string) => call('POST', `/api/executions/${id}/redact`);
const remove = (id: string) => call('DELETE', `/api/executions/${id}`);

/** Runs to the end in debug mode, with a small and a large output. */
async function finished(word: string): Promise<string> {
  const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, {
    input: { word, long: `${word} ${'x'.repeat(70_000)}` },
    executionMode: 'debug',
  });
  await until(async () => (await read(body.executionId)).body.finishedAt, 'the end of the run');
  return body.executionId;
}

async function unfinished(): Promise<string> {
  return (await call('POST', `/api/workflows/${workflowId}/execute`, {})).body.executionId;
}

async function find(search: string): Promise<string[]> {
  const { body } = await call('GET', `/api/executions?workspaceId=${instance.workspaceId}&search=${search}`);
  return body.data.map(({ id }) => id!);
}

const indexed = () => until(async () => (await instance.db.unindexedExecution.count()) === 0, 'the index of texts');

const audited = (action: string, resourceId: string) => instance.db.auditEntry.count({ where: { action, resourceId } });

/** Rows that hold data of a run. */
async function rowsOf(executionId: string): Promise<Record<string, number>> {
  const { db } = instance;
  const where = { executionId };
  return {
    executions: await db.execution.count({ where: { id: executionId } }),
    nodeRuns: await db.nodeRun.count({ where }),
    outputs: await db.nodeRun.count({ where: { ...where, OR: [{ output: { not: null } }, { debug: { not: null } }] } }),
    largeOutputs: await db.largeOutput.count({ where }),
    texts: await db.executionText.count({ where }),
    unindexed: await db.unindexedExecution.count({ where }),
  };
}

let worker: Awaited<ReturnType<typeof startTestWorker>>;

beforeAll(async () => {
  instance = await startInstance();
  worker = await startTestWorker(instance);
  workflowId = await createWorkflow(
    instance,
    chain(
      { id: 'small', type: 'set', parameters: { fields: { said: '{{ $trigger.word }}' } } },
      { id: 'large', type: 'set', parameters: { fields: { said: '{{ $trigger.long }}' } } },
    ),
  );
});
afterAll(stopAll);

describe('redacting a run', () => {
  it('takes its data, outputs, debug data and texts, and leaves how it ended', async () => {
    const [id, other] = [await finished('amethyst'), await finished('beryl')];
    await indexed();
    const before = (await read(id)).body;
    expect(await rowsOf(id)).toMatchObject({ outputs: 3, largeOutputs: 2, texts: 1 });

    expect(await redact(id)).toMatchObject({ status: 200, body: { executionId: id, status: 'success' } });

    const { body } = await read(id);
    expect(body).toMatchObject({ status: 'success', startedAt: before.startedAt, finishedAt: before.finishedAt });
    expect(body.data.trigger).toBeNull();
    expect(JSON.stringify(body)).not.toContain('amethyst');
    expect(await rowsOf(id)).toMatchObject({ executions: 1, nodeRuns: 3, outputs: 0, largeOutputs: 0 });
    expect((await call('GET', `/api/executions/${id}/nodes/large/output`)).status).toBe(404);
    expect(await find('amethyst')).toEqual([]);
    await indexed();
    expect([await find('amethyst'), await find('beryl'), await find(id)]).toEqual([[], [other], [id]]);
    expect((await instance.db.execution.findUniqueOrThrow({ where: { id } })).storedBytes).toBe(0n);
    expect((await call('POST', `/api/executions/${id}/rerun`)).body.code).toBe('TRIGGER_DATA_GONE');
    expect(await audited('execution.redact', id)).toBe(1);
    expect((await redact(id)).status).toBe(200);
  });

  it('waits for who is indexing the run, so that its text does not come back', async () => {
    const id = await finished('chalcedony');
    await indexed();
    await instance.db.unindexedExecution.create({ data: { executionId: id } });
    await worker.stop();
    let redacting: ReturnType<typeof redact> | undefined;
    await instance.db.$transaction(async (tx) => {
      await tx.$executeRaw`DELETE FROM unindexed_executions WHERE execution_id = ${id}::uuid`;
      redacting = redact(id);
      await until(async () => (await countLockWaits(instance.db)) === 1);
      await tx.$executeRaw`UPDATE execution_texts SET text = 'chalcedony again' WHERE execution_id = ${id}::uuid`;
    });
    expect((await redacting)?.status).toBe(200);
    expect(await rowsOf(id)).toMatchObject({ texts: 0, unindexed: 1 });
    worker = await startTestWorker(instance);
  });
});

describe('deleting a run', () => {
  it('leaves nothing of it, and says who did it', async () => {
    const id = await finished('diopside');
    expect((await remove(id)).status).toBe(204);
    expect(Object.values(await rowsOf(id)).reduce((sum, count) => sum + count)).toBe(0);
    expect((await read(id)).status).toBe(404);
    expect(await find('diopside')).toEqual([]);
    expect(await audited('execution.delete', id)).toBe(1);
    expect((await remove(id)).status).toBe(404);
  });

  it('is possible after it was redacted', async () => {
    const id = await finished('euclase');
    await redact(id);
    expect((await remove(id)).status).toBe(204);
    expect((await read(id)).status).toBe(404);
  });

  it('gives its bytes back to the workspace', async () => {
    const id = await finished('fluorite');
    const { storedBytes } = await instance.db.execution.findUniqueOrThrow({ where: { id } });
    expect(storedBytes).toBeGreaterThan(140_000n);
    const used = async () => (await instance.db.workspace.findFirstOrThrow()).storedBytes;
    await until(async () => (await instance.db.storageChange.count()) === 0, 'the bytes to be counted');
    const before = await used();
    await remove(id);
    await until(async () => (await used()) === before - storedBytes, 'the bytes to be given back');
  });
});

describe.each([
  ['redacting', redact],
  ['deleting', remove],
] as const)('%s', (_, erase) => {
  const refused = { status: 409, body: { code: 'INVALID_STATE' } };

  it('is a 409 while the run is not finished', async () => {
    await worker.stop();
    const id = await unfinished();
    expect(await erase(id)).toMatchObject(refused);
    await call('POST', `/api/executions/${id}/pause`);
    expect(await erase(id)).toMatchObject(refused);
    await call('POST', `/api/executions/${id}/stop`);
    expect((await erase(id)).status).toBeLessThan(300);
    worker = await startTestWorker(instance);
  });

  it('is a 409 while another run still reads it', async () => {
    const [id, other] = [await finished('garnet'), await finished('howlite')];
    const change = (data: object) => instance.db.execution.update({ where: { id: other }, data });
    await change({ rerunOf: id, status: 'paused', finishedAt: null });
    expect(await erase(id)).toMatchObject(refused);
    await change({ rerunOf: null });
    const wait = { executionId: other, nodeId: 'call', kind: 'workflow', details: '{}', childExecutionId: id } as const;
    await instance.db.wait.create({ data: { ...wait, createdAt: new Date() } });
    expect(await erase(id)).toMatchObject(refused);
    await change({ status: 'stopped', finishedAt: new Date() });
    expect((await erase(id)).status).toBeLessThan(300);
  });

  it('is for editors: 403 for viewers, 404 for strangers', async () => {
    const id = await finished('iolite');
    const [viewer, stranger] = [await addPerson(instance, 'viewer'), await addPerson(instance)];
    const as = (session: string) =>
      erase === remove
        ? call('DELETE', `/api/executions/${id}`, undefined, session)
        : call('POST', `/api/executions/${id}/redact`, undefined, session);
    expect((await as(viewer.session)).body.code).toBe('FORBIDDEN');
    expect((await as(stranger.session)).status).toBe(404);
    expect((await erase(uuidv7())).status).toBe(404);
    expect((await read(id)).body.data.trigger).toMatchObject({ word: 'iolite' });
  });
});
