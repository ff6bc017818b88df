import { isJsonObject, parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
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
const childrenOf = async (id: string) =>
  (await call('GET', `/api/executions?workspaceId=${instance.workspaceId}&parentExecutionId=${id}`)).body;

const AT_ONCE = 200;
const MORE = 20;

it('runs 200 sub-workflows at the same time, and collects results and errors in the order of the items', async () => {
  const child = await createWorkflow(instance, {
    nodes: [
      start,
      { id: 'rests', type: 'if', parameters: { condition: `{{ $trigger.number < ${AT_ONCE} }}` } },
      { id: 'ask', type: 'approval', parameters: { message: 'Well?' } },
      { id: 'end', type: 'terminal', parameters: { body: { twice: '{{ $trigger.number * 2 }}' } } },
    ],
    edges: edges('start -> rests', 'rests.true -> ask', 'rests.false -> end'),
  });
  const parent = await createWorkflow(instance, {
    nodes: [
      start,
      { id: 'each', type: 'loop', parameters: { items: '{{ $trigger.numbers }}', concurrency: AT_ONCE } },
      {
        id: 'run',
        type: 'workflow',
        onError: 'continue',
        parameters: { workflowId: child, input: { number: '{{ $loop.item }}' } },
      },
    ],
    edges: edges('start -> each', 'each.body -> run'),
  });
  const numbers = Array.from({ length: AT_ONCE + MORE }, (_, index) => index);
  const id = (await call('POST', `/api/workflows/${parent}/execute`, { input: { numbers } })).body.executionId;
  const resting = { parentExecutionId: id, status: 'waiting_for_input' } as const;
  await until(async () => (await instance.db.execution.count({ where: resting })) === AT_ONCE);
  const { data } = await childrenOf(id);
  expect(data).toHaveLength(100);
  expect(data[0]).toMatchObject({ parentExecutionId: id, parentNodeId: 'run', workflowId: child, source: 'workflow' });
  expect(await read(id)).toMatchObject({
    ...{ status: 'running', parentExecutionId: null, parentNodeId: null },
    progress: { run: { iterations: AT_ONCE, iterationCounts: { waiting: AT_ONCE } } },
  });

  await call('POST', '/api/executions/stop', { workspaceId: instance.workspaceId, parentExecutionId: id });
  await until(async () => (await read(id)).status === 'success');
  const list = (await read(id)).progress.each?.output;
  const error = { message: 'the started run ended as stopped', code: 'WORKFLOW_FAILED' };
  expect(list).toEqual(numbers.map((number) => (number < AT_ONCE ? { error } : { twice: number * 2 })));
});

it('is described by a definition that can be saved', async () => {
  const page = readFileSync(new URL('../../../docs/workflows.md', import.meta.url), 'utf8');
  const [, text = ''] = /```json\n([\s\S]+?)```/.exec(page) ?? [];
  const definition = parseOwnJson(text);
  expect(isJsonObject(definition)).toBe(true);
  expect(compileWorkflow(definition, await loadNodeTypes())).not.toHaveProperty('issues');
});
