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
  expect(storedBytes - sum).toBeLessThan(1_000n);
});

it('an iteration of nested loops is named by its position or by "outer.inner", and is text in each response', async () => {
  const id = await finish({
    nodes: [
      start,
      ...[loop('outer', [1, 2]), loop('inner', ['a', 'b'])],
      { id: 'note', type: 'set', parameters: { fields: { v: '{{ $loop.item }}', index: '{{ $loop.index }}' } } },
    ],
    edges: edges('start -> outer', 'outer.body -> inner', 'inner.body -> note'),
  });
  const output = (nodeId: string, query = '') => call('GET', `/api/executions/${id}/nodes/${nodeId}/output${query}`);
  const named = [await output('note', '?iteration=2'), await output('note', '?iteration=1.0')];
  expect(named.map(({ body }) => [body.iteration, body.output])).toEqual([
    ['1.0', { v: 'a', index: 0 }],
    ['1.0', { v: 'a', index: 0 }],
  ]);
  expect((await output('inner', '?iteration=1')).body).toMatchObject({
    iteration: '1',
    output: [{ v: 'a' }, { v: 'b' }],
  });
  expect((await output('outer')).body.iteration).toBeNull();
  const { data } = (await call('GET', `/api/executions/${id}/nodes/note/iterations`)).body;
  expect(data.map(({ iteration }) => iteration)).toEqual(['0.0', '0.1', '1.0', '1.1']);

  const missing = async (nodeId: string, query: string) => {
    const { status, body } = await output(nodeId, query);
    return [status, body.error, body.details];
  };
  const four = { status: 'success', iterations: 4, firstIteration: '0.0', lastIteration: '1.1' };
  for (const iteration of ['4', '2.0', '0.0.0'])
    expect(await missing('note', `?iteration=${iteration}`)).toEqual([
      404,
      `There is no output of iteration ${iteration}: the node note has 4 iterations, 0.0 to 1.1`,
      four,
    ]);
  expect((await missing('outer', '?iteration=0'))[1]).toBe(
    'There is no output: the node outer is in no loop, leave iteration out',
  );
  expect((await missing('ghost', ''))[1]).toBe('There is no output: no node ghost of this run has begun');
});

it('a node that some iterations skip keeps the numbers of its iterations', async () => {
  const id = await finish({
    nodes: [
      start,
      loop('each', [0, 1, 2]),
      { id: 'odd', type: 'if', parameters: { condition: '{{ $loop.item == 1 }}' } },
      { id: 'even', type: 'set', parameters: { fields: { v: '{{ $loop.item }}' } } },
    ],
    edges: edges('start -> each', 'each.body -> odd', 'odd.false -> even'),
  });
  const output = (iteration: number) => call('GET', `/api/executions/${id}/nodes/even/output?iteration=${iteration}`);
  expect((await output(2)).body).toMatchObject({ iteration: '2', output: { v: 2 } });
  expect((await output(1)).body.details).toMatchObject({ iterations: 2, firstIteration: '0', lastIteration: '2' });
});

it('one iteration of a node in nested loops is found by its number, with its error', async () => {
  const id = await finish({
    nodes: [
      start,
      loop('outer', ['a', 'b']),
      loop('inner', [1, 2]),
      {
        ...code('odd', "if ($loop.item === 2) throw new Error('no ' + $loop.index); return $loop.item;"),
        onError: 'continue',
      },
    ],
    edges: edges('start -> outer', 'outer.body -> inner', 'inner.body -> odd'),
  });
  const list = async (query: string) =>
    (await call('GET', `/api/executions/${id}/nodes/odd/iterations?${query}`)).body.data.map(
      ({ iteration, status, error }) => [iteration, status, error?.message],
    );
  expect(await list('status=failed')).toEqual([
    ['0.1', 'failed', 'no 1 (line 1)'],
    ['1.1', 'failed', 'no 1 (line 1)'],
  ]);
  expect(await list('iteration=1.1')).toEqual([['1.1', 'failed', 'no 1 (line 1)']]);
  expect(await list('iteration=1.0')).toEqual([['1.0', 'success', undefined]]);
  expect(await list('iteration=1')).toEqual([]);
});
