import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { NodeContext } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import { loadNodeTypes } from '../load-node-types.ts';

const types = await loadNodeTypes();

/** Runs a node, and counts the rounds of the event loop meanwhile. */
async function run(
  type: string,
  parameters: JsonObject,
  context: Partial<NodeContext> = {},
): Promise<{ outcome: unknown; rounds: number }> {
  let rounds = 0;
  let isDone = false;
  const goRound = (): void => {
    rounds += 1;
    if (!isDone) setImmediate(goRound);
  };
  setImmediate(goRound);
  const outcome: unknown = await Promise.resolve()
    .then(() => types.get(type)?.run(parameters, nodeContext(context)))
    .catch((error: unknown) => error);
  isDone = true;
  return { outcome, rounds };
}

const OUTPUT = { kind: 'output' };
const numbers = Array.from({ length: 600_000 }, (_, index) => (index * 7_919) % 1_000_003);
const text = 'x'.repeat(20_000_000);
/** 1 MB of JSON. */
const megabyte: JsonValue = ['x'.repeat(1_000_000)];
const shared = (count: number) => ({
  inputs: Array.from({ length: count }, (_, index) => ({ nodeId: `n${index}`, output: megabyte })),
});

describe('the largest input of', () => {
  it.each<[string, string, JsonObject, number]>([
    ['a long list', 'sort', { items: numbers }, 60],
    ['a long list', 'filter', { items: numbers, conditions: [{ operator: 'greater', value: 5 }] }, 5],
    ['a long list', 'filter', { items: numbers, conditions: [{ operator: 'in', value: numbers }] }, 10],
    ['a long list', 'aggregate', { items: numbers, operations: [{ operation: 'average', as: 'a' }] }, 5],
    ['a long list in batches', 'split', { items: numbers, size: 1 }, 4],
    ['5,000,000 characters', 'split', { text: 'a\n'.repeat(2_500_000) }, 20],
    ['20 MB', 'hash', { data: text }, 4],
    ['many values', 'set', { fields: { numbers } }, 4],
    ['long values', 'switch', { value: numbers, cases: cases(20) }, 19],
  ])('%s is worked on in slices: %s', async (_what, type, parameters, rounds) => {
    const done = await run(type, parameters);
    expect(done.outcome).toMatchObject(OUTPUT);
    expect(done.rounds).toBeGreaterThanOrEqual(rounds);
  });

  it.each<[string, string, JsonObject, Partial<NodeContext>, string]>([
    ['the same value many times', 'merge', { mode: 'array' }, shared(17), 'RESULT_TOO_LARGE'],
    ['the same value many times', 'merge', { mode: 'object' }, shared(17), 'RESULT_TOO_LARGE'],
    ['the same value many times', 'set', { fields: { all: shared(17).inputs } }, {}, 'RESULT_TOO_LARGE'],
    ['numbers of many digits', 'set', { fields: { all: numbers.map((one) => one / 7_919_113_007) } }, {}, 'none'],
    [
      'a list many times',
      'aggregate',
      { items: megabyte, operations: Array.from({ length: 17 }, (_, n) => ({ operation: 'list', as: `l${n}` })) },
      {},
      'RESULT_TOO_LARGE',
    ],
    ['values that are alike to the end', 'switch', { value: numbers, cases: cases(100) }, {}, 'none'],
    ['too many tags', 'xml', { operation: 'parse', text: `<r>${'<a/>'.repeat(60_000)}</r>` }, {}, 'XML_INVALID'],
    ['too much to write', 'xml', { operation: 'write', value: { r: 'x'.repeat(1_000_000) } }, {}, 'RESULT_TOO_LARGE'],
  ])('%s is bounded: %s', async (_what, type, parameters, context, code) => {
    const { outcome } = await run(type, parameters, context);
    expect(outcome).toMatchObject(code === 'none' ? OUTPUT : { code, isRetryable: false });
  });

  it('16 branches of a megabyte is still merged, and shares them', async () => {
    const { outcome } = await run('merge', { mode: 'array' }, shared(16));
    expect(outcome).toMatchObject(OUTPUT);
  });
});

/** Cases that are the same as the numbers but for the last one. */
function cases(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    handle: `case-${index}`,
    equals: [...numbers.slice(0, -1), -1 - index],
  }));
}

it('a text is digested as a whole, wherever it is cut', async () => {
  for (const shift of ['', 'a']) {
    const data = `${shift}${'🙂'.repeat(300_000)}ü`;
    const { outcome } = await run('hash', { data });
    expect(outcome).toMatchObject({ output: { hash: createHash('sha256').update(data).digest('hex') } });
  }
});
