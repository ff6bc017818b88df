import type { ExecutionRecord } from '@deckhand/db';
import { describe, expect, it } from '@jest/globals';
import { executionEntryJson, executionJson } from './execution-json.ts';

const run: ExecutionRecord = {
  id: 'run',
  workspaceId: 'workspace',
  workflowId: 'workflow',
  workflowVersionId: 'version',
  status: 'running',
  executionMode: 'normal',
  source: 'api',
  createdAt: new Date(0),
  startedAt: new Date(1),
  finishedAt: null,
  currentNodeId: 'b',
  triggerNodeId: 'a',
  rerunOf: null,
  rerunFromNodeId: null,
  rerunIterations: null,
  untilNodeId: null,
  mockedNodeIds: null,
  parentExecutionId: null,
  parentNodeId: null,
  workflowName: 'Orders',
  revision: 3,
  triggerJson: '{"n":1}',
  isTriggerOmitted: false,
  isResultOmitted: false,
  errorJson: null,
  resultJson: null,
  progressJson: '"a":{"status":"success"}',
  begunNodeIds: ['a'],
  approvalsJson: null,
  nodeCounts: null,
  startAt: null,
  errorOf: null,
  errorExecutionId: null,
  errorStartCode: null,
  expiresAt: null,
  priority: null,
  concurrencyKey: null,
  concurrencyLimit: null,
  holdsKey: null,
  tags: null,
  metadataJson: null,
};

const read = (changes: Partial<ExecutionRecord>) => JSON.parse(executionJson({ ...run, ...changes }, ['a', 'b']));

describe('a run as JSON', () => {
  it('joins what is serialised already', () => {
    expect(read({})).toMatchObject({
      executionId: 'run',
      id: 'run',
      startedAt: '1970-01-01T00:00:00.001Z',
      finishedAt: null,
      progress: { a: { status: 'success' } },
      data: { trigger: { n: 1 }, triggerNodeId: 'a', approvals: [] },
      error: null,
      result: null,
    });
  });

  it('shows nodes that have not begun', () => {
    expect(read({}).progress.b).toMatchObject({ status: 'pending', attempts: 0 });
    expect(read({ progressJson: null, begunNodeIds: null }).progress.a).toMatchObject({ status: 'pending' });
  });

  it('names the original of a rerun, and says null for data that retention took', () => {
    const { data } = read({ rerunOf: 'original', triggerJson: null });
    expect(data).toMatchObject({ rerunOf: 'original', trigger: null });
  });

  it('is without its result in a list, and says that large trigger data is left out', () => {
    const entry = JSON.parse(executionEntryJson({ ...run, triggerJson: null, isTriggerOmitted: true }, ['a']));
    expect(entry.data).toMatchObject({ trigger: null, triggerOmitted: true });
    expect(entry).not.toHaveProperty('result');
  });
});
