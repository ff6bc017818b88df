import type { JsonValue } from '@deckhand/contracts';
import { createScriptRunner } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { snippetsFor } from '../../apps/console/src/code/snippets.ts';
import { edges, runInMemory } from '../harness/engine.ts';

const INPUT = {
  date: '2026-11-20T08:15:00+01:00',
  items: [
    { group: 'a', amount: 120, price: 2 },
    { group: 'b', amount: 80, price: 1 },
    { group: 'a', amount: 30, price: 3 },
  ],
};

const EXPECTED: Readonly<Record<string, JsonValue>> = {
  'Filter a list': [{ group: 'a', amount: 120, price: 2 }],
  'Change each item of a list': [
    { group: 'a', amount: 120, price: 2, total: 240 },
    { group: 'b', amount: 80, price: 1, total: 80 },
    { group: 'a', amount: 30, price: 3, total: 90 },
  ],
  'Sum up by group': { a: 150, b: 80 },
  'Read and format a date': { iso: '2026-11-20T07:15:00.000Z', day: '2026-11-20' },
  'Add the output of another node': { ...INPUT, other: { total: 230 } },
  'Fail the node on a condition': INPUT,
};

const code = createScriptRunner();
afterAll(() => code.close());

/** Runs a script in a `code` node, after one with another output. */
async function run(source: string, input: JsonValue) {
  const { last } = await runInMemory(
    {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'totals-1', type: 'set', parameters: { fields: { total: 230 } } },
        { id: 'input', type: 'code', parameters: { source: 'return $trigger;' } },
        { id: 'script', type: 'code', onError: 'continue', parameters: { source } },
      ],
      edges: edges('start -> totals-1', 'totals-1 -> input', 'input -> script'),
    },
    { trigger: input, services: { code } },
  );
  return last.get('script/')?.output;
}

describe('the snippets for scripts', () => {
  const snippets = snippetsFor('$nodes["totals-1"].output');

  it('are those that are tested here', () => {
    expect(snippets.map(({ label }) => label)).toEqual(Object.keys(EXPECTED));
  });

  it.each(snippets.map(({ label, source }) => [label, source] as const))(
    'run as they are: %s',
    async (label, source) => {
      expect(await run(source, INPUT)).toEqual(EXPECTED[label]);
    },
  );

  it('fail their node where they say so', async () => {
    const failing = snippets.filter(({ source }) => source.includes('throw'));
    expect(failing).toHaveLength(2);
    for (const { source } of failing) {
      expect(await run(source, { items: [], date: 'soon' })).toMatchObject({
        error: {
          code: 'CODE_FAILED',
          message: expect.stringMatching(/^(The list is empty|Not a date: soon) \(line 2\)$/),
        },
      });
    }
  });
});
