import type { Definition, JsonObject } from '@deckhand/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chain,
  createWorkflow,
  type Instance,
  NEVER_MS,
  type Receiver,
  startInstance,
  startReceiver,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
  await startTestWorker(instance);
});
afterAll(stopAll);

async function call<Method extends string, Path extends string>(method: Method, path: Path, body?: object) {
  const answer = await instance.gateway.call(method, path, { as: instance.session, body });
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
}

const statusOf = async (id: string) => (await instance.db.execution.findUniqueOrThrow({ where: { id } })).status;
const finished = (workflowId: string, status = 'success' as const) =>
  instance.db.execution.count({ where: { workflowId, status } });

async function execute(workflowId: string, count = 1): Promise<string[]> {
  const started = await Promise.all(
    Array.from({ length: count }, () => call('POST', `/api/workflows/${workflowId}/execute`)),
  );
  return started.map(({ executionId }) => executionId).sort();
}

const limitWorkspace = (maxConcurrentExecutions: number | null) =>
  call('PUT', `/api/admin/workspaces/${instance.workspaceId}/limits`, {
    executionsPerMinute: null,
    storageQuotaBytes: null,
    maxConcurrentExecutions,
  });

const limited = (definition: Definition, settings: JsonObject): object => ({ ...definition, settings });
const http = (receiver: Receiver) => ({
  id: 'call',
  type: 'http',
  parameters: { method: 'POST', url: `${receiver.url}/{{ $execution.id }}` },
});

describe('a workflow with a limit of runs at once', () => {
  it('never has more calls in progress, accepts all runs, and finishes all of them', async () => {
    // The first call ends when there is a second, however slow the machine is.
    const receiver: Receiver = await startReceiver(() => 20, { held: () => until(() => receiver.calls.length > 1) });
    const id = await createWorkflow(instance, limited(chain(http(receiver)), { maxConcurrentExecutions: 2 }));
    await execute(id, 40);
    await until(async () => (await finished(id)) === 40, 'the end of all runs');
    expect(receiver.inFlightMax()).toBe(2);
    expect(new Set(receiver.calls.map(({ path }) => path)).size).toBe(40);
    expect(receiver.calls).toHaveLength(40);
  });

  it('lets all continue when the limit is gone from the version that is active', async () => {
    const receiver = await startReceiver(() => NEVER_MS);
    const id = await createWorkflow(instance, limited(chain(http(receiver)), { maxConcurrentExecutions: 1 }));
    await call('PATCH', `/api/workflows/${id}`, { status: 'active' });
    await execute(id, 4);
    await until(() => receiver.calls.length === 1);
    const { workflowVersionId } = await call('POST', `/api/workflows/${id}/versions`, {
      definition: limited(chain(http(receiver)), { maxConcurrentExecutions: null }),
    });
    const { maxConcurrentExecutions } = await instance.db.workflow.findUniqueOrThrow({ where: { id } });
    expect(maxConcurrentExecutions).toBe(1);
    await call('PATCH', `/api/workflows/${id}`, { activeVersionId: workflowVersionId });
    await until(() => receiver.calls.length === 4, 'the calls of all runs');
    await call('POST', '/api/executions/stop', { workspaceId: instance.workspaceId, workflowId: id });
  });

  it('counts a run that began before the limit was saved', async () => {
    const receiver = await startReceiver(() => NEVER_MS);
    const id = await createWorkflow(instance, chain(http(receiver)));
    await execute(id);
    await until(() => receiver.calls.length === 1);
    const definition = limited(chain(http(receiver)), { maxConcurrentExecutions: 1 });
    await call('POST', `/api/workflows/${id}/versions`, { definition });
    const held = await instance.db.execution.findFirstOrThrow({ where: { workflowId: id } });
    expect(held.holdsSlot).toBe(true);
    const [second] = await execute(id);
    await call('POST', `/api/executions/${held.id}/stop`);
    await until(() => receiver.calls.length === 2, 'the call of the second run');
    expect(receiver.inFlightMax()).toBe(1);
    await call('POST', `/api/executions/${second}/stop`);
  });

  it('has its slot free again when the run that has it is stopped', async () => {
    const receiver = await startReceiver(() => NEVER_MS);
    const id = await createWorkflow(instance, limited(chain(http(receiver)), { maxConcurrentExecutions: 1 }));
    const [first, second, third] = (await execute(id, 3)).map(String);
    await until(() => receiver.calls.length === 1);
    const running = receiver.calls[0]?.path.slice(1) ?? '';
    const [next, last] = [first, second, third].filter((run) => run !== running).map(String);
    // A delayed run can be stopped like any other.
    expect(await statusOf(String(next))).toBe('pending');
    await call('POST', `/api/executions/${next}/stop`);
    await call('POST', `/api/executions/${running}/stop`);
    await until(() => receiver.calls.length === 2, 'the call of the next run');
    expect(receiver.calls[1]?.path).toBe(`/${last}`);
    await call('POST', `/api/executions/${last}/stop`);
  });

  it('continues when Redis has lost everything', async () => {
    const receiver = await startReceiver(() => 100);
    const id = await createWorkflow(instance, limited(chain(http(receiver)), { maxConcurrentExecutions: 1 }));
    await execute(id, 10);
    await until(() => receiver.calls.length >= 2);
    await instance.gateway.services.monitoring.redis.flushall();
    await until(async () => (await finished(id)) === 10, 'the end of all runs');
    expect(receiver.inFlightMax()).toBe(1);
    expect(receiver.calls).toHaveLength(10);
  });

  it('frees its slot while a run waits for a person', async () => {
    const ask = { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } };
    const id = await createWorkflow(instance, limited(chain(ask), { maxConcurrentExecutions: 1 }));
    const runs = await execute(id, 3);
    const waiting = () => instance.db.execution.count({ where: { workflowId: id, status: 'waiting_for_input' } });
    await until(async () => (await waiting()) === 3, 'all to wait');
    for (const executionId of runs) {
      await call('POST', '/api/approvals/submit', { executionId, nodeId: 'ask', approved: true });
    }
    await until(async () => (await finished(id)) === 3, 'the end of all runs');
  });
});

describe('a workspace with a limit of runs at once', () => {
  it('shares it among its workflows, with no deadlock of parents and children', async () => {
    const receiver = await startReceiver(() => 20);
    const child = await createWorkflow(instance, chain(http(receiver)));
    const start = (id: string) => ({
      id,
      type: 'workflow',
      parameters: { workflowId: child, input: {}, waitForCompletion: true },
    });
    const parent = await createWorkflow(instance, chain(start('one'), start('two')));
    await limitWorkspace(1);
    await Promise.all([execute(parent, 5), execute(child, 5)]);
    await until(async () => (await finished(parent)) === 5, 'the end of the parents');
    await until(async () => (await finished(child)) === 15, 'the end of the children');
    expect(receiver.inFlightMax()).toBe(1);
    await limitWorkspace(null);
  });

  it('lets more continue when the limit is raised, and all when it is removed', async () => {
    const receiver = await startReceiver(() => NEVER_MS);
    const id = await createWorkflow(instance, chain(http(receiver)));
    await limitWorkspace(1);
    await execute(id, 6);
    await until(() => receiver.calls.length === 1);
    await limitWorkspace(3);
    await until(() => receiver.calls.length === 3, 'as many calls as the limit');
    await limitWorkspace(null);
    await until(() => receiver.calls.length === 6, 'the calls of all runs');
    await call('POST', '/api/executions/stop', { workspaceId: instance.workspaceId, workflowId: id });
  });
});
