import { expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import workflow from './workflow.ts';

it('returns the result of the run that it started, also null, and the id of one without a result', () => {
  const wait = { kind: 'workflow', details: { executionId: 'child' }, dueAt: null } as const;
  const resume = (result: { body: null | number } | null) =>
    workflow.resume?.({ kind: 'answered', value: { status: 'success', result } }, wait, nodeContext());
  expect(resume({ body: 1 })).toEqual({ kind: 'output', output: 1 });
  expect(resume({ body: null })).toEqual({ kind: 'output', output: null });
  expect(resume(null)).toEqual({ kind: 'output', output: { executionId: 'child', status: 'success' } });
});
