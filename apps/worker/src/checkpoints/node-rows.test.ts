import type { JsonValue, NodeStatus } from '@deckhand/contracts';
import type { NodeRecord } from '@deckhand/engine';
import { expect, it } from '@jest/globals';
import { currentNodeOf } from './node-rows.ts';

function record(nodeId: string, status: NodeStatus, startedAt: number, state?: JsonValue): NodeRecord {
  const rest = { iteration: '', finishedAt: null, attempts: 1, attemptHistory: undefined, handle: null };
  return { ...rest, nodeId, status, startedAt, state, output: undefined, error: null, debug: undefined };
}

const waitOf = (wait: string): JsonValue => ({ wait, details: {}, dueAt: null });
const ask = record('ask', 'waiting', 5, waitOf('approval'));
const form = record('form', 'waiting', 4, waitOf('human'));
const delay = record('delay', 'waiting', 1, waitOf('time'));
const retry = record('retry', 'waiting', 2, { retry: { dueAt: 9 } });
const each = record('each', 'running', 0, { items: [1], concurrency: 1 });
const guarded = record('guarded', 'running', 0, { try: true });
const call = record('call', 'running', 7);
const held = record('held', 'pending', 0);

it.each([
  ['the approval of a run that waits for input', [delay, form, call, ask], 'waiting_for_input', 'ask'],
  [
    'the oldest of several approvals',
    [ask, record('older', 'waiting', 3, waitOf('approval'))],
    'waiting_for_input',
    'older',
  ],
  ['the form of a run that waits for a person', [delay, form], 'waiting_for_human', 'form'],
  ['a node that runs, before one that waits', [delay, each, call], undefined, 'call'],
  ['a node that waits, before the loop around it', [each, delay], 'running', 'delay'],
  ['a node that rests before its next attempt', [guarded, retry], 'running', 'retry'],
  ['a container in which nothing is in progress', [held, each], undefined, 'each'],
  ['none when nothing is in progress', [held], undefined, null],
  [
    'the first id of nodes that began at the same time',
    [record('b', 'running', 1), record('a', 'running', 1)],
    undefined,
    'a',
  ],
] as const)('the current node is %s', (_name, unfinished, status, expected) => {
  expect(currentNodeOf(unfinished, status)).toBe(expected);
});
