import { parseOwnJson } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { connect, convertN8n, node, START } from '../../../tests/harness/import-n8n.ts';

it('takes the first item of a list before a stub for the one that belongs to its item, and says so', () => {
  const assignments = [{ name: 'n', type: 'any', value: "={{ $('Items').item.json.n }}" }];
  const nodes = [
    START,
    node('Items', 'code', { jsCode: 'return [{ json: { n: 1 } }, { json: { n: 2 } }];' }),
    node('Sheet', 'googleSheets'),
    node('Value', 'set', { assignments: { assignments }, options: {} }),
  ];
  const connections = connect('Start > Items', 'Items > Sheet', 'Sheet > Value');
  const { definition, notes } = convertN8n(parseOwnJson(JSON.stringify({ nodes, connections })));
  const value = notes.find((each) => each.node === 'Value');
  expect(value?.level).toBe('review');
  expect(value?.messages).toContain(
    'of a list before a stub, the first item is taken for the one that the item of the stub belongs to',
  );
  expect(JSON.stringify(definition.nodes.find(({ id }) => id === 'value'))).toContain('$nodes.items.output[[0][0]]');
});
