import type { Definition, Execution, NodeProgress } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { compareNodes } from './compare-nodes.ts';

const done = (output: NodeProgress['output'], changes: Partial<NodeProgress> = {}): NodeProgress => ({
  status: 'success',
  startedAt: '2026-11-25T10:00:00.000Z',
  finishedAt: '2026-11-25T10:00:01.000Z',
  attempts: 1,
  outputBytes: JSON.stringify(output).length,
  output,
  ...changes,
});
const RUN: Execution = {
  executionId: 'a',
  id: 'a',
  workflowId: 'w',
  workspaceId: 's',
  workflowVersionId: 'v',
  status: 'success',
  executionMode: 'normal',
  source: 'api',
  workflowName: 'Orders',
  rerunOf: null,
  parentExecutionId: null,
  parentNodeId: null,
  createdAt: '2026-11-25T10:00:00.000Z',
  startedAt: null,
  finishedAt: null,
  currentNodeId: null,
  startAt: null,
  expiresAt: null,
  priority: 0,
  concurrency: null,
  errorOf: null,
  errorExecutionId: null,
  errorStartCode: null,
  tags: [],
  metadata: {},
  progress: {},
  data: { trigger: null, triggerNodeId: 'start', approvals: [] },
  error: null,
  result: null,
};
const side = (ids: string, progress: Execution['progress']) => ({
  run: { ...RUN, progress },
  definition: { nodes: Array.from(ids, (id) => ({ id, type: 'set' })), edges: [] } satisfies Definition,
});

describe('nodes of two runs', () => {
  it('are paired in the order of the later version, those that are gone last', () => {
    const pairs = compareNodes(side('xab', {}), side('bac', {}));
    expect(pairs.map(({ nodeId, isIn }) => [nodeId, isIn])).toEqual([
      ['b', 'both'],
      ['a', 'both'],
      ['c', 'right'],
      ['x', 'left'],
    ]);
    expect(pairs.map(({ differs }) => differs)).toEqual([false, false, true, true]);
  });

  it.each<[string, NodeProgress | undefined, NodeProgress | undefined, string | undefined, boolean]>([
    ['the same output', done({ a: 1, b: 2 }), done({ b: 2, a: 1 }), 'same', false],
    ['another output', done({ a: 1 }), done({ a: 2 }), 'changed', true],
    ['no output in one', done(1), undefined, 'changed', true],
    ['no output in any', done(null, { outputBytes: 0 }), done(null, { outputBytes: 0 }), undefined, false],
    ['another status', done(1), done(1, { status: 'failed' }), 'same', true],
    ['a status and none', undefined, done(null, { status: 'skipped', outputBytes: 0 }), undefined, true],
    ['large outputs of one size', done(1, large(7)), done(2, large(7)), undefined, false],
    ['large outputs of two sizes', done(1, large(7)), done(1, large(8)), 'changed', true],
  ])('with %s', (_, left, right, output, differs) => {
    const [pair] = compareNodes(side('a', left ? { a: left } : {}), side('a', right ? { a: right } : {}));
    expect(pair).toMatchObject({ output, differs });
  });
});

function large(outputBytes: number): Partial<NodeProgress> {
  return { outputBytes, output: undefined, outputOmitted: true };
}
