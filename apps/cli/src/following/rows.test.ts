import type { ExecutionResponse, NodeProgress } from '@deckhand/sdk/operations';
import { expect, it } from '@jest/globals';
import { inOrder } from './rows.ts';

const AT = '2026-11-27T10:00:00.000Z';
const LATER = '2026-11-27T10:00:00.001Z';
const ran = (startedAt: string | null, finishedAt = startedAt) =>
  ({ status: startedAt === null ? 'pending' : 'success', startedAt, finishedAt, attempts: 1 }) as NodeProgress;

const execution = {
  data: { triggerNodeId: 'start' },
  // By name, as the API has nodes that started together.
  progress: { after: ran(null), bill: ran(AT), audit: ran(AT), last: ran(LATER), start: ran(AT, LATER) },
} as unknown as ExecutionResponse;

const definition = {
  nodes: ['start', 'bill', 'audit', 'last', 'after'].map((id) => ({ id, type: 'set' })),
  edges: ['start>bill', 'bill>audit', 'audit>last', 'last>after'].map((edge) => {
    const [source = '', target = ''] = edge.split('>');
    return { source, target };
  }),
};

it('lists nodes that started in the same millisecond in the order of the workflow', () => {
  const names = inOrder(execution, definition).map(([nodeId]) => nodeId);
  expect(names).toEqual(['start', 'bill', 'audit', 'last', 'after']);
});

it('lists them in the order of their ends without a definition', () => {
  const names = inOrder(execution, undefined).map(([nodeId]) => nodeId);
  expect(names).toEqual(['bill', 'audit', 'start', 'last', 'after']);
});
