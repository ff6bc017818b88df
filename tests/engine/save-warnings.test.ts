import { findWarnings } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { compileForTest, edges } from '../harness/engine.ts';

const start = { id: 'start', type: 'trigger.manual' };
const warningsOf = async (nodes: object[], ...paths: string[]) =>
  findWarnings(await compileForTest({ nodes: [start, ...nodes], edges: edges(...paths) }));

describe('saving warns of', () => {
  it.each([
    ['$input.amount > 100', 'an expression is in {{ }}'],
    [' {{ $input.amount > 100 }}', 'put all of it into one {{ }}, with nothing before and after'],
    ['{{ $input.amount > 100 }}\n', 'put all of it into one {{ }}, with nothing before and after'],
    ['{{ $input.amount }} > 100', 'put all of it into one {{ }}, with nothing before and after'],
    ['{{ $input.a }}{{ $input.b }}', 'put all of it into one {{ }}, with nothing before and after'],
    ['  ', 'an expression is in {{ }}'],
  ])('a condition that is a text: %j', async (condition, advice) => {
    const check = { id: 'check', type: 'if', parameters: { condition } };
    expect(await warningsOf([check], 'start -> check')).toEqual([
      {
        path: 'nodes[1].parameters.condition',
        message: `Node "check": the condition is a text, which is always true: ${advice}`,
      },
    ]);
  });

  it('the same in a loop with a condition', async () => {
    const loop = { id: 'each', type: 'loop', parameters: { mode: 'while', condition: ' {{ $loop.index < 3 }} ' } };
    expect(await warningsOf([loop], 'start -> each')).toMatchObject([{ path: 'nodes[1].parameters.condition' }]);
  });

  it.each(['{{ $input.amount > 100 }}', '{{ {a: 1}.a }}', '', true])('no condition such as %j', async (condition) => {
    const check = { id: 'check', type: 'if', parameters: { condition } };
    expect(await warningsOf([check], 'start -> check')).toEqual([]);
  });

  it('failures that nobody notices: onError "branch" without an edge at error', async () => {
    const note = (id: string, rest: object) => ({ id, type: 'set', parameters: { fields: {} }, ...rest });
    const branch = { onError: 'branch' };
    const nodes = [
      note('alone', branch),
      note('handled', branch),
      note('off', { ...branch, disabled: true }),
      note('end', {}),
    ];
    expect(
      await warningsOf(
        nodes,
        'start -> alone',
        'alone -> end',
        'start -> handled',
        'handled.error -> end',
        'start -> off',
      ),
    ).toEqual([
      {
        path: 'nodes[1].onError',
        message: 'Node "alone": onError is "branch", and no edge leaves it at "error": a failure is not noticed',
      },
    ]);
  });
});
