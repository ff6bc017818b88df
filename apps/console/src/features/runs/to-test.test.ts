import { describe, expect, it } from '@jest/globals';
import type { Definition, NodeProgress } from '@deckhand/contracts';
import { testAsYaml, toTest } from './to-test.ts';

const TYPES = new Map([
  ['http', { hasEffects: true }],
  ['set', { hasEffects: false }],
]);
const AT = '2026-11-01T08:00:00.000Z';

function ended(output: NodeProgress['output'], more: Partial<NodeProgress> = {}): NodeProgress {
  return {
    status: 'success',
    startedAt: AT,
    finishedAt: AT,
    attempts: 1,
    outputBytes: 2,
    ...(output !== undefined && { output }),
    ...more,
  };
}

const definition: Definition = {
  nodes: [
    { id: 'end', type: 'terminal' },
    { id: 'call', type: 'http' },
    { id: 'ask', type: 'approval' },
    { id: 'signed', type: 'hmac', credentialId: '01a21301-0a10-726f-aac1-dc20a206054d' },
    { id: 'start', type: 'trigger.manual' },
    { id: 'late', type: 'wait.event' },
  ],
  edges: [
    { source: 'start', target: 'ask' },
    { source: 'ask', sourceHandle: 'approved', target: 'call' },
    { source: 'call', target: 'signed' },
    { source: 'signed', target: 'late' },
    { source: 'late', sourceHandle: 'timeout', target: 'end' },
  ],
};

const run = {
  status: 'success' as const,
  createdAt: AT,
  data: { trigger: { amount: 5 }, triggerNodeId: 'start', approvals: [] },
  error: null,
  result: { body: { id: 1 }, statusCode: 200, headers: {} },
  progress: {
    end: ended({ id: 1 }),
    call: ended({ status: 200, body: { id: 1 } }),
    ask: ended({ decision: 'approved', approved: true }),
    signed: ended({ signature: 'ab' }),
    start: ended({ amount: 5 }),
    late: ended({ signature: 'ab' }),
  },
};

describe('a run as a test', () => {
  it('has the input, mocks for what acts outside or is answered, and the end', () => {
    expect(toTest(run, definition, TYPES)).toEqual({
      name: `run of ${AT}`,
      input: { amount: 5 },
      trigger: 'start',
      now: AT,
      mocks: {
        call: { output: { status: 200, body: { id: 1 } } },
        ask: { answer: { decision: 'approved', approved: true } },
        signed: { output: { signature: 'ab' } },
      },
      expect: { status: 'success', path: ['start', 'ask', 'call', 'signed', 'late', 'end'], result: { id: 1 } },
    });
  });

  it('that failed expects the error, and nodes that failed are mocked to fail', () => {
    const error = { code: 'HTTP_ERROR', message: 'answered 500' };
    const progress = { start: ended({ amount: 5 }), call: ended(undefined, { status: 'failed', error }) };
    const failed = { ...run, status: 'failed' as const, result: null, error: { ...error, nodeId: 'call' }, progress };
    expect(toTest(failed, definition, TYPES)).toMatchObject({
      mocks: { call: { error: { ...error, retry: false } } },
      expect: { status: 'failed', path: ['start', 'call'], error: { node: 'call', code: 'HTTP_ERROR' } },
    });
  });

  it('with a loop has no path', () => {
    const progress = { ...run.progress, call: ended({ status: 200 }, { iterations: 3 }) };
    expect(toTest({ ...run, progress }, definition, TYPES).expect).not.toHaveProperty('path');
  });

  it('is an item of a list in YAML', () => {
    expect(testAsYaml({ name: 'a', mocks: {} })).toBe('  - {\n      "name": "a",\n      "mocks": {}\n    }');
  });
});
