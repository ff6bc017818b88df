import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
const log: string[] = [];

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance, { onLog: (line) => log.push(line) });
});
afterAll(stopAll);

const call = <Path extends string>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: Path, body?: object) =>
  instance.gateway.call(method, path, { as: instance.key, body });
const fails = () => createWorkflow(instance, chain({ id: 'refuse', type: 'fail', parameters: { message: 'No' } }));

/** Creates an active workflow that returns what it was started with. */
async function addHandler(...nodes: Parameters<typeof chain>): Promise<string> {
  const end = { id: 'end', type: 'terminal', parameters: { body: '{{ $trigger }}' } };
  const id = await createWorkflow(instance, chain(...nodes, end));
  await call('PATCH', `/api/workflows/${id}`, { status: 'active' });
  return id;
}

async function run(workflowId: string, body: object = {}) {
  const { executionId } = (
    await instance.gateway.call('POST', `/api/workflows/${workflowId}/execute`, { as: instance.key, body })
  ).body;
  await until(async () => (await read(executionId)).finishedAt !== null, 'the end of the run');
  return read(executionId);
}
const read = async (id: string) =>
  (await instance.gateway.call('GET', `/api/executions/${id}`, { as: instance.key })).body;

/** Waits for the run of an error workflow to end. */
async function reportOf(failedId: string) {
  await until(async () => (await read(failedId)).errorExecutionId !== null, 'the error workflow');
  const id = (await read(failedId)).errorExecutionId ?? '';
  await until(async () => (await read(id)).finishedAt !== null, 'its end');
  return read(id);
}
const starts = () => instance.db.errorStart.count();
/** Sets the limit of runs a minute. A new minute begins. */
async function limit(executionsPerMinute: number | null): Promise<void> {
  const { redis } = instance.gateway.services.monitoring;
  await redis.del(`{deckhand}:execution-rate:${instance.workspaceId}`);
  await instance.gateway.call('PUT', `/api/admin/workspaces/${instance.workspaceId}/limits`, {
    as: instance.session,
    body: { executionsPerMinute, storageQuotaBytes: null },
  });
}

describe('an error workflow', () => {
  it('runs with the failed run, its error and its node', async () => {
    const workflowId = await fails();
    const handlerId = await addHandler();
    const named = await call('PATCH', `/api/workflows/${workflowId}`, { errorWorkflowId: handlerId });
    expect(named.body).toMatchObject({ errorWorkflowId: handlerId });
    const failed = await run(workflowId, { tags: ['orders'], metadata: { order: 7 } });
    const report = await reportOf(failed.id);
    expect(report).toMatchObject({ source: 'error', status: 'success', workflowId: handlerId, errorOf: failed.id });
    expect(report.result).toMatchObject({
      body: {
        executionId: failed.id,
        workflowId,
        workflowName: failed.workflowName,
        status: 'failed',
        error: failed.error,
        failedNodeId: 'refuse',
        tags: ['orders'],
        metadata: { order: 7 },
      },
    });
  });

  it('of the workspace runs for workflows without one, and not for those that want none', async () => {
    const handlerId = await addHandler();
    const path = `/api/workspaces/${instance.workspaceId}` as const;
    expect((await call('PATCH', path, { errorWorkflowId: handlerId })).body).toMatchObject({
      errorWorkflowId: handlerId,
    });
    const workflowId = await fails();
    expect(await reportOf((await run(workflowId)).id)).toMatchObject({ workflowId: handlerId, status: 'success' });
    expect((await call('PATCH', `/api/workflows/${workflowId}`, { errorWorkflowId: 'none' })).body).toMatchObject({
      errorWorkflowId: 'none',
    });
    const unreported = await run(workflowId);
    expect((await run(workflowId, { executionMode: 'test' })).status).toBe('failed');
    expect(await starts()).toBe(0);
    expect(await instance.db.execution.count({ where: { errorOf: unreported.id } })).toBe(0);
    await call('PATCH', path, { errorWorkflowId: null });
  });

  it('is not started by its own failure, nor by that of a run that it starts', async () => {
    const child = await fails();
    const handlerId = await addHandler({ id: 'call', type: 'workflow', parameters: { workflowId: child } });
    const path = `/api/workspaces/${instance.workspaceId}` as const;
    await call('PATCH', path, { errorWorkflowId: handlerId });
    const failed = await run(await fails());
    const report = await reportOf(failed.id);
    expect(report.status).toBe('failed');
    expect(await starts()).toBe(0);
    const runs = await instance.db.execution.findMany({ where: { errorOf: failed.id } });
    expect(runs.map(({ workflowId, status }) => `${workflowId} ${status}`).toSorted()).toEqual(
      [`${handlerId} failed`, `${child} failed`].toSorted(),
    );
    await call('PATCH', path, { errorWorkflowId: null });
  });

  it('that cannot be started is named in the failed run and in the log', async () => {
    const workflowId = await fails();
    const handlerId = await addHandler();
    await call('PATCH', `/api/workflows/${workflowId}`, { errorWorkflowId: handlerId });
    await call('DELETE', `/api/workflows/${handlerId}`);
    const failed = await run(workflowId);
    await until(async () => (await read(failed.id)).errorStartCode !== null, 'the refusal');
    expect(await read(failed.id)).toMatchObject({ errorStartCode: 'NOT_FOUND', errorExecutionId: null });
    expect(log.some((line) => line.includes('failed to start an error workflow') && line.includes(failed.id))).toBe(
      true,
    );
  });

  it('must be a workflow of the workspace', async () => {
    const workflowId = await fails();
    const unknown = { errorWorkflowId: '01a1fb35-e8df-7352-8660-75a19a555603' };
    for (const path of [`/api/workflows/${workflowId}`, `/api/workspaces/${instance.workspaceId}`] as const) {
      const { status, body } = await call('PATCH', path, unknown);
      expect([status, body]).toMatchObject([400, { details: [{ path: 'errorWorkflowId' }] }]);
    }
  });

  it('that cannot be started does not count towards the runs of a minute', async () => {
    const workflowId = await fails();
    const handlerId = await addHandler();
    await call('PATCH', `/api/workflows/${workflowId}`, { errorWorkflowId: handlerId });
    await call('DELETE', `/api/workflows/${handlerId}`);
    await limit(2);
    const failed = await run(workflowId);
    await until(async () => (await read(failed.id)).errorStartCode !== null, 'the refusal');
    expect(await call('POST', `/api/workflows/${workflowId}/execute`, {})).toMatchObject({ status: 202 });
    await limit(null);
  });

  it('waits for the next minute of a workspace with a limit', async () => {
    const workflowId = await fails();
    await call('PATCH', `/api/workflows/${workflowId}`, { errorWorkflowId: await addHandler() });
    await limit(1);
    const failed = await run(workflowId);
    const start = () => instance.db.errorStart.findUnique({ where: { executionId: failed.id } });
    const isDelayed = async () => {
      const row = await start();
      return row !== null && row.nextAttemptAt.getTime() - row.failedAt.getTime() > 20_000;
    };
    await until(isDelayed, 'the delay');
    await instance.db.errorStart.updateMany({ data: { failedAt: new Date(0), nextAttemptAt: new Date(0) } });
    await until(async () => (await start()) === null, 'the end of the attempts');
    expect(await read(failed.id)).toMatchObject({ errorStartCode: 'workspace_rate_limited' });
    await limit(null);
  });
});
