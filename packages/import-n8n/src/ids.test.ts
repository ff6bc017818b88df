import { describe, expect, it } from '@jest/globals';
import { loadNodeTypes } from '@deckhand/nodes';
import { parseOwnJson } from '@deckhand/contracts';
import { connect, importJson, node, START } from '../../../tests/harness/import-n8n.ts';
import { uniqueIds } from './ids.ts';

it('never have "__" or end in "_", and leave room for the ids of further nodes', () => {
  const names = ['', '1', '__a__b__', `${'a'.repeat(47)} b`, `${'a'.repeat(45)} b c`, 'a', 'A', 'á', 'é', 'a 2'];
  const long = Array.from({ length: 20 }, (_, n) => `${'a'.repeat(44)} ${'!'.repeat(n)} b`);
  const idOf = uniqueIds([...names, ...long]);
  const ids = [...names, ...long].map(idOf);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^(?!.*__)[a-z][a-z0-9_]{0,47}(?<!_)$/);
});

describe('of further nodes are not those of other nodes', () => {
  const items = node('Items', 'code', { jsCode: 'return [];' });
  const query = (name: string) => node(name, 'postgres', { operation: 'executeQuery', query: 'SELECT 1' });
  const versioned = (each: object) => ({ ...each, typeVersion: 2.6 });
  const request = (name: string) => node(name, 'httpRequest', { url: 'https://example.com' });
  const set = (name: string) => node(name, 'set', { assignments: { assignments: [] } });

  it.each<[string, object[], string[]]>([
    [
      'queries',
      [...['Get order', 'Get order items', 'Get order each'].map((name) => versioned(query(name))), items],
      ['Start > Items', 'Items > Get order', 'Get order > Get order items', 'Get order items > Get order each'],
    ],
    [
      'requests',
      [...['Get order', 'Get order item', 'Get order request'].map(request), items],
      ['Start > Items', 'Items > Get order', 'Get order > Get order item', 'Get order item > Get order request'],
    ],
    [
      'responses',
      [node('Webhook', 'webhook', { responseMode: 'lastNode' }), set('Webhook Response')],
      ['Webhook > Webhook Response'],
    ],
    [
      'starts',
      [node('Slack', 'slackTrigger'), set('Slack trigger'), set('Slack start')],
      ['Slack > Slack trigger', 'Slack trigger > Slack start'],
    ],
  ])('%s', async (_name, nodes, ways) => {
    const given = { nodes: [START, ...nodes], connections: connect(...ways) };
    const { definition, remarks } = await importJson(parseOwnJson(JSON.stringify(given)), await loadNodeTypes());
    expect(remarks.filter((each) => !each.includes('order of execution'))).toEqual([]);
    const ids = definition.nodes.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });
});
