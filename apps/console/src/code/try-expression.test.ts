import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@deckhand/contracts';
import type { SampleData, SampleSource } from '../forms/sample-data.ts';
import { readPastItems, tryExpression } from './try-expression.ts';

function sampleData(sources: readonly SampleSource[], members: Partial<SampleData> = {}): SampleData {
  return {
    run: { id: 'r', mode: 'normal', trigger: {} },
    before: [],
    links: [],
    sources,
    tryData: (id) => {
      throw new Error(`${id} is not a try`);
    },
    loop: undefined,
    output: (id) => Promise.resolve({ outputOf: id }),
    shapes: { trigger: {}, output: () => undefined },
    vars: () => Promise.resolve({}),
    ...members,
  };
}

describe('the items of a loop that has ended', () => {
  const data = sampleData([{ nodeId: 'list', gives: 'output' }], {
    run: { id: 'r', mode: 'normal', trigger: [1, 2] },
    output: (id) => (id === 'gone' ? Promise.reject(new Error('deleted')) : Promise.resolve([id])),
  });

  it.each([
    ['{{ $trigger }}', [1, 2]],
    ['{{ $input }}', ['list']],
    ['{{ $nodes.list.output }}', ['list']],
    [['{{ $execution.id }}'], ['r']],
    [['{{ $vars.name }}'], []],
    [['{{ $now }}'], []],
    [['{{ $links.ask }}'], []],
    [['{{ $nodes.gone.output }}', 1], []],
    ['{{ $input', []],
  ])('are of %j %j: none where they may have been others', async (items, expected) => {
    expect(await readPastItems(items, data)).toEqual(expected);
  });
});

describe('the preview of $input', () => {
  const valueOf = async (data: SampleData): Promise<JsonValue | undefined> => {
    const trial = await tryExpression('{{ $input }}', data);
    return trial.kind === 'value' ? trial.value : undefined;
  };

  it('is the output of the node before', async () => {
    expect(await valueOf(sampleData([{ nodeId: 'call', gives: 'output' }]))).toEqual({ outputOf: 'call' });
  });

  it('is at the beginning of the body of a try the input of the try, also of one in another', async () => {
    const outer = sampleData([{ nodeId: 'call', gives: 'output' }]);
    const inner = sampleData([{ nodeId: 'outer', gives: 'input' }], { tryData: () => outer });
    const node = sampleData([{ nodeId: 'inner', gives: 'input' }], { tryData: () => inner });
    expect(await valueOf(node)).toEqual({ outputOf: 'call' });
  });

  it('is in a try in a loop the item', async () => {
    const loop = () => ({ items: ['first', 'second'], data: sampleData([]) });
    const guard = sampleData([{ nodeId: 'loop', gives: 'item' }], { loop });
    expect(await valueOf(sampleData([{ nodeId: 'try', gives: 'input' }], { loop, tryData: () => guard }))).toBe(
      'first',
    );
  });
});
