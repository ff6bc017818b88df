import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedExecution, StoredNodeRun } from '@deckhand/db';
import type { NodeRecord } from '@deckhand/engine';
import { compileForTest, edges } from '../../../../tests/harness/engine.js';
import { createRecordsReader, SourceRunGoneError } from './reuse-records.js';

const definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'a', type: 'probe' },
    { id: 'b', type: 'probe' },
    { id: 'c', type: 'probe' },
  ],
  edges: edges('start -> a', 'a -> b', 'b -> c'),
};
const row = (nodeId: string, output: string): StoredNodeRun => ({
  nodeId,
  iteration: '',
  status: 'success',
  startedAt: new Date(1),
  finishedAt: new Date(2),
  attempts: 1,
  handle: null,
  output,
  outputRef: null,
  error: null,
  state: null,
  iterations: null,
});
const claimed = (more: Partial<ClaimedExecution>): ClaimedExecution => ({
  id: 'again',
  workspaceId: 'w',
  workflowId: 'f',
  workflowVersionId: 'v',
  executionMode: 'normal',
  triggerNodeId: 'start',
  triggerData: '{}',
  isProvisional: false,
  digest: null,
  epoch: 2,
  token: 'a token',
  dispatch: 1,
  deadlineAt: new Date(),
  timeLeftMs: null,
  waitedSeconds: 0,
  startedSecondsAgo: 0,
  answers: 0,
  hasParent: false,
  rerunOf: 'first',
  rerunFromNodeId: 'c',
  traceParent: null,
  holdsSlot: false,
  ...more,
});

let hasData = true;
const withOrigin = createRecordsReader({
  loadVersion: () => compileForTest(definition),
  loadNodeRuns: (id) =>
    Promise.resolve(id === 'first' ? [row('start', '{}'), row('a', '"of first"'), row('b', '"of first"')] : []),
  hasData: () => Promise.resolve(hasData),
});

beforeEach(() => {
  hasData = true;
});

describe('what a run goes on from', () => {
  it('is its own records, and under them those of the run that it repeats', async () => {
    const own = new Map<string, NodeRecord>();
    const all = await withOrigin(claimed({}), own);
    expect([...all.keys()]).toEqual(['start/', 'a/', 'b/']);
    // A worker died after it had made one of them the run's own, and that was done again since.
    const [first] = all.values();
    if (!first) throw new Error('there is no record');
    own.set('a/', { ...first, nodeId: 'a', output: 'own' });
    const outputs = [...(await withOrigin(claimed({}), own)).values()].map(({ output }) => output);
    expect(outputs).toEqual([{}, 'own', 'of first']);
  });

  it('is nothing once the data of the original went before all of it was taken over', async () => {
    const [first] = (await withOrigin(claimed({}), new Map<string, NodeRecord>())).values();
    if (!first) throw new Error('there is no record');
    hasData = false;
    await expect(withOrigin(claimed({}), new Map())).rejects.toThrow(SourceRunGoneError);
    await expect(withOrigin(claimed({}), new Map([['start/', first]]))).rejects.toThrow(SourceRunGoneError);
    const own = new Map([['c/', { ...first, nodeId: 'c' }]]);
    expect(await withOrigin(claimed({}), own)).toBe(own);
  });

  it('is only its own for a run from its trigger', async () => {
    const own = new Map<string, NodeRecord>();
    expect(await withOrigin(claimed({ rerunFromNodeId: null }), own)).toBe(own);
    expect(await withOrigin(claimed({ rerunOf: null }), own)).toBe(own);
  });
});
