import type { JsonValue, NodeDefinition } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { planTask } from './plan-task.ts';
import type { NodeRecord } from './records.ts';

const record = (rest: Partial<NodeRecord>): NodeRecord => ({
  nodeId: 'node',
  iteration: '',
  status: 'running',
  startedAt: 1,
  finishedAt: null,
  attempts: 1,
  handle: null,
  output: undefined,
  error: null,
  state: undefined,
  debug: undefined,
  ...rest,
});

const error = { code: 'HTTP_STATUS', message: 'responded 500' };
const succeeded = record({ status: 'success', output: 1 });
const failed = record({ status: 'failed', error });
const failedWithDetails = record({ status: 'failed', error, output: { error: { ...error, status: 500 } } });
const waits = record({ status: 'waiting', state: { wait: 'approval', details: {}, dueAt: null } });
const rests = record({ status: 'waiting', attempts: 2, state: { retry: { dueAt: 9 } } });
const running = record({});
const decided = record({ status: 'pending', state: { join: { taken: [0], cancelled: [] } } });

interface Case {
  readonly when: string;
  readonly before?: NodeRecord;
  readonly mock?: JsonValue;
  readonly definition?: Partial<NodeDefinition>;
  readonly hasEffects?: boolean;
  readonly isTrigger?: boolean;
  readonly container?: 'agent';
  readonly timeoutMs?: number;
  readonly plan: object;
}

const fails = { onInterrupt: 'fail' } as const;

describe('a node that is ready', () => {
  it.each<Case>([
    { when: 'is evaluated', plan: { kind: 'evaluate' } },
    { when: 'with effects is launched', hasEffects: true, plan: { kind: 'launch' } },
    {
      when: 'that is an agent is evaluated, as its steps have the effects',
      hasEffects: true,
      container: 'agent',
      timeoutMs: 1,
      plan: { kind: 'evaluate' },
    },
    { when: 'with a time limit is launched', timeoutMs: 1, plan: { kind: 'launch' } },
    { when: 'that is disabled hands on its input', definition: { disabled: true }, plan: { kind: 'disabled' } },
    {
      when: 'that is disabled and has effects hands on its input',
      definition: { disabled: true },
      hasEffects: true,
      plan: { kind: 'disabled' },
    },
    {
      when: 'that is a disabled trigger runs',
      definition: { disabled: true },
      isTrigger: true,
      plan: { kind: 'evaluate' },
    },
    { when: 'with a mock has its output', mock: null, hasEffects: true, plan: { kind: 'mock', output: null } },
    {
      when: 'that is disabled and has a mock has the output of that',
      mock: 1,
      definition: { disabled: true },
      plan: { kind: 'mock', output: 1 },
    },
    { when: 'that succeeded is finished', before: succeeded, plan: { kind: 'finished', record: succeeded } },
    {
      when: 'that succeeded is finished, whatever its mock',
      before: succeeded,
      mock: 2,
      plan: { kind: 'finished', record: succeeded },
    },
    {
      when: 'that failed has failed for good',
      before: failed,
      hasEffects: true,
      plan: { kind: 'failed', failure: { ...error, isRetryable: false }, output: undefined },
    },
    {
      when: 'that failed with details has them again',
      before: failedWithDetails,
      plan: {
        kind: 'failed',
        failure: { ...error, isRetryable: false, details: { ...error, status: 500 } },
        output: { error: { ...error, status: 500 } },
      },
    },
    {
      when: 'that waits goes on waiting',
      before: waits,
      hasEffects: true,
      plan: { kind: 'wait', begun: { iteration: '', next: 'resume', wait: { kind: 'approval' } }, record: waits },
    },
    {
      when: 'that rests goes on resting, once per attempt',
      before: rests,
      hasEffects: true,
      plan: { kind: 'wait', begun: { iteration: '~2', next: 'attempt', wait: { dueAt: 9 } }, record: rests },
    },
    {
      when: 'that is a loop in progress is resumed',
      before: record({ state: { items: [1], concurrency: 2 } }),
      plan: { kind: 'resume', container: { kind: 'items', items: [1], concurrency: 2 } },
    },
    {
      when: 'that is a loop with a condition in progress is resumed',
      before: record({ state: { repeat: 'until', maxIterations: 3 } }),
      plan: { kind: 'resume', container: { kind: 'repeat', rule: { mode: 'until', maxIterations: 3 } } },
    },
    {
      when: 'that is a try in progress is resumed, even if it must not run again',
      before: record({ state: { try: true } }),
      definition: fails,
      plan: { kind: 'resume', container: { kind: 'try' } },
    },
    { when: 'that ran when its worker died runs again', before: running, hasEffects: true, plan: { kind: 'launch' } },
    {
      when: 'that ran when its worker died, and must not run again, is interrupted',
      before: running,
      hasEffects: true,
      definition: fails,
      plan: { kind: 'interrupted', record: running },
    },
    {
      when: 'that had not begun when its worker died runs, even if it must not run again',
      before: decided,
      hasEffects: true,
      definition: fails,
      plan: { kind: 'launch' },
    },
  ])('$when', ({ before, mock, definition, hasEffects = false, isTrigger = false, container, timeoutMs, plan }) => {
    const node = {
      definition: { id: 'node', type: 'probe', ...definition },
      type: { hasEffects, isTrigger, container },
      timeoutMs,
    };
    expect(planTask(node, before, mock)).toMatchObject(plan);
  });
});
