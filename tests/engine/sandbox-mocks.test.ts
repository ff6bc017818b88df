import { describe, expect, it } from '@jest/globals';
import { edges, runInMemory } from '../harness/engine.ts';

const start = { id: 'start', type: 'trigger.manual' };
const note = (id: string) => ({ id, type: 'set', parameters: { fields: { from: id } } });

/** Runs a definition in sandbox mode, and returns the outputs and handles of its nodes. */
async function outcomes(nodes: object[], ...paths: string[]) {
  const { last, ending } = await runInMemory({ nodes: [start, ...nodes], edges: edges(...paths) }, { mode: 'sandbox' });
  const of = (id: string) => ({ output: last.get(`${id}/`)?.output, handle: last.get(`${id}/`)?.handle });
  return { of, ending, last };
}

describe('in sandbox mode, a mock is the output of', () => {
  it('a node that only computes', async () => {
    const { of } = await outcomes([{ ...note('a'), mock: { from: 'mock' } }], 'start -> a');
    expect(of('a').output).toEqual({ from: 'mock' });
  });

  it('a trigger, a node that would fail, and the result of a terminal', async () => {
    const fails = { id: 'fails', type: 'fail', parameters: { message: 'no' }, mock: 'went on' };
    const end = { id: 'end', type: 'terminal', parameters: { body: 'real' }, mock: { done: true } };
    const { last, ending } = await runInMemory(
      { nodes: [{ ...start, mock: { a: 1 } }, fails, end], edges: edges('start -> fails', 'fails -> end') },
      { mode: 'sandbox' },
    );
    expect([last.get('start/')?.output, last.get('fails/')?.output]).toEqual([{ a: 1 }, 'went on']);
    expect(ending).toMatchObject({ kind: 'success', result: { body: { done: true }, statusCode: 200 } });
  });

  it('a wait, which is over at once', async () => {
    const wait = { id: 'wait', type: 'wait', parameters: { seconds: 3_600 }, mock: 'soon' };
    const { of, ending } = await outcomes([wait], 'start -> wait');
    expect([of('wait').output, ending.kind]).toEqual(['soon', 'success']);
  });

  it('a condition, which chooses its output as usual', async () => {
    const check = { id: 'check', type: 'if', parameters: { condition: '{{ 1 > 2 }}' }, mock: { seen: true } };
    const { of } = await outcomes(
      [check, note('yes'), note('no')],
      'start -> check',
      'check.true -> yes',
      'check.false -> no',
    );
    expect([of('check'), of('no').output]).toEqual([{ output: { seen: true }, handle: 'false' }, { from: 'no' }]);
  });

  it('a loop and a try, whose bodies do not run', async () => {
    const loop = { id: 'each', type: 'loop', parameters: { items: [1, 2] }, mock: ['x'] };
    const guarded = { id: 'guarded', type: 'try', mock: 'fine' };
    const { of, last } = await outcomes(
      [loop, note('body'), guarded, note('risky'), note('after')],
      ...[
        'start -> each',
        'each.body -> body',
        'each.done -> guarded',
        'guarded.body -> risky',
        'guarded.success -> after',
      ],
    );
    expect([of('each').output, of('guarded').output, of('after').output]).toEqual([['x'], 'fine', { from: 'after' }]);
    expect(
      [...last.keys()].filter((key) => key.startsWith('body/') || key === 'risky/').map((key) => last.get(key)?.status),
    ).not.toContain('success');
  });
});

it('in other modes, mocks of the definition are not used', async () => {
  const { last } = await runInMemory(
    { nodes: [start, { ...note('a'), mock: 1 }], edges: edges('start -> a') },
    { mode: 'test' },
  );
  expect(last.get('a/')?.output).toEqual({ from: 'a' });
});
