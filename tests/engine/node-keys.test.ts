import type { JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { edges, runInMemory } from '../harness/engine.ts';

const start = { id: 'start', type: 'trigger.manual' };
const NODES = [
  { id: 'it', type: 'wait.event', parameters: { name: 'paid', key: '{{ $trigger.key }}' } },
  { id: 'it', type: 'lock', parameters: { key: '{{ $trigger.key }}' } },
  { id: 'it', type: 'unlock', parameters: { key: '{{ $trigger.key }}' } },
];

/** Runs a node with a key. @returns how the run ended, and the keys that were used. */
async function run(node: object, key: JsonValue) {
  const keys: string[] = [];
  const { ending } = await runInMemory(
    { nodes: [start, node], edges: edges('start -> it') },
    {
      trigger: { key },
      services: {
        locks: {
          acquire: ({ key: name }) => (keys.push(name), Promise.resolve({ kind: 'acquired' })),
          release: ({ key: name }) => (keys.push(name), Promise.resolve()),
        },
      },
    },
  );
  const waits = ending.kind === 'waiting' ? ending.waits.map(({ details }) => details.key) : [];
  return { ending, keys: [...keys, ...waits] };
}

describe.each(NODES.map((node) => [node.type, node] as const))('the key of %s', (_type, node) => {
  it.each([7, '7'])('may be a number, which counts as its text: %j', async (key) => {
    expect((await run(node, key)).keys).toEqual(['7']);
  });

  it.each([
    ['a\0', 'parameters.key has a NUL character'],
    ['a\ud800', 'parameters.key has half a surrogate pair'],
  ])('is refused by the node if it cannot be stored: %j', async (key, message) => {
    const { ending, keys } = await run(node, key);
    expect(ending).toMatchObject({ kind: 'failed', error: { code: 'PARAMETERS_INVALID', message } });
    expect(keys).toEqual([]);
  });
});
