import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callWithKey, createWorkflow, type Instance } from '../../harness/index.ts';
import { startInstance, startTestWorker, stopAll, until } from '../../harness/index.ts';
import { edges } from '../../harness/engine.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance);
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const start = { id: 'start', type: 'trigger.manual' };
const loop = (id: string, items: unknown[]) => ({ id, type: 'loop', parameters: { items } });
const code = (id: string, source: string) => ({ id, type: 'code', parameters: { source } });

async function execute(definition: object): Promise<string> {
  const workflowId = await createWorkflow(instance, definition);
  return (await call('POST', `/api/workflows/${workflowId}/execute`)).body.executionId;
}

async function finish(definition: object): Promise<string> {
  const id = await execute(definition);
  await until(async () => (await read(id)).finishedAt !== null);
  return id;
}

it('a node in a loop shows that its outputs are left out, and their size', async () => {
  const id = await finish({
    nodes: [
      start,
      loop('each', ['a', 'bc']),
      { id: 'note', type: 'set', parameters: { fields: { v: '{{ $loop.item }}' } } },
    ],
    edges: edges('start -> each', 'each.body -> note'),
  });
  const { progress } = await read(id);
  const outputBytes = '{"v":"a"}'.length + '{"v":"bc"}'.length;
  expect(progress.note).toMatchObject({ iterations: 2, outputBytes, outputOmitted: true });
  expect(progress.note).not.toHaveProperty('output');
  expect(progress.each).not.toHaveProperty('outputOmitted');
});

it('a node in a loop without any output says so by its size alone', async () => {
  const id = await finish({
    nodes: [start, loop('each', [1]), code('fails', "throw new Error('no')")],
    edges: edges('start -> each', 'each.body -> fails'),
  });
  const { progress } = await read(id);
  expect(progress.fails).toMatchObject({ status: 'failed', outputBytes: 0 });
  expect(progress.fails).not.toHaveProperty('outputOmitted');
});

it('counts the outputs of iterations of earlier workers, and each in the storage of the workspace once', async () => {
  const id = await execute({
    nodes: [
      start,
      loop('each', [1, 2]),
      code('work', "return 'x'.repeat(70000)"),
      { id: 'rest', type: 'approval', parameters: { message: 'Well?' } },
    ],
    edges: edges('start -> each', 'each.body -> work', 'work -> rest'),
  });
  for (const iteration of [0, 1]) {
    await until(async () => {
      const run = await read(id);
      return run.status === 'waiting_for_input' && run.progress.work?.iterations === iteration + 1;
    });
    const submit = { executionId: id, nodeId: 'rest', approved: true, iteration };
    expect((await call('POST', '/api/approvals/submit', submit)).status).toBe(200);
  }
  await until(async () => (await read(id)).status === 'success');
  expect((await read(id)).progress.work).toMatchObject({ outputBytes: 2 * 70_002, outputOmitted: true });
  const { storedBytes } = await instance.db.execution.findUniqueOrThrow({ where: { id } });
  const rows = await instance.db.nodeIteration.findMany({ where: { executionId: id } });
  const outside = await instance.db.nodeRun.findMany({ where: { executionId: id, iterations: null } });
  const sum = [...rows, ...outside].reduce((bytes, row) => bytes + row.outputBytes, 0n);
  expect(BigInt(storedBytes) - sum).toBeLessThan(1_000n);
});
