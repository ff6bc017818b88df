import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimedExecution, StoredNodeRun } from '@deckhand/db';
import type { NodeRecord } from '@deckhand/engine';
import { compileForTest, edges } from '../../../../tests/harness/engine.ts';
import { createRecordsReader, SourceRunGoneError } from './reuse-records.ts';

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
  attemptHistory: null,
  handle: null,
  output,
  outputRef: null,
  error: null,
  state: null,
  iterations: null,
  outputBytes: null,
  iterationCounts: null,
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
  answerCount: 0,
  hasParent: false,
  rerunOf: 'first',
  rerunFromNodeId: 'c',
  rerunIterations: null,
  untilNodeId: null,
  mocks: null,
  traceParent: null,
  holdsSlot: false,
  concurrencyKey: null,
  loopPositions: null,
  ...more,
});

let hasData = true;
const readAllRecords = createRecordsReader({
  loadVersion: () => compileForTest(definition),
  loadNodeRuns: (id) =>
    Promise.resolve(id === 'first' ? [row('start', '{}'), row('a', '"of first"'), row('b', '"of first"')] : []),
  versionWithData: () => Promise.resolve(hasData ? 'v' : undefined),
  readDefinition: () => Promise.resolve(definition),
});

beforeEach(() => {
  hasData = true;
});

describe('the records from which a run continues', () => {
  it('are its own, and those of its source run where it has none', async () => {
    const own = new Map<string, NodeRecord>();
    const all = await readAllRecords(claimed({}), own);
    expect([...all.keys()]).toEqual(['start/', 'a/', 'b/']);
    // A worker died after it had copied one of them, and that node has run again since.
    const [first] = all.values();
    if (!first) throw new Error('there is no record');
    own.set('a/', { ...first, nodeId: 'a', output: 'own' });
    const outputs = [...(await readAllRecords(claimed({}), own)).values()].map(({ output }) => output);
    expect(outputs).toEqual([{}, 'own', 'of first']);
  });

  it('are not available if the data of the source run was deleted before all of it was copied', async () => {
    const [first] = (await readAllRecords(claimed({}), new Map<string, NodeRecord>())).values();
    if (!first) throw new Error('there is no record');
    hasData = false;
    await expect(readAllRecords(claimed({}), new Map())).rejects.toThrow(SourceRunGoneError);
    await expect(readAllRecords(claimed({}), new Map([['start/', first]]))).rejects.toThrow(SourceRunGoneError);
    const own = new Map([['c/', { ...first, nodeId: 'c' }]]);
    expect(await readAllRecords(claimed({}), own)).toBe(own);
  });

  it('are only its own for a run from its trigger', async () => {
    const own = new Map<string, NodeRecord>();
    expect(await readAllRecords(claimed({ rerunFromNodeId: null }), own)).toBe(own);
    expect(await readAllRecords(claimed({ rerunOf: null }), own)).toBe(own);
  });
});
