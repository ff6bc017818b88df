import { loadNodeTypes } from '@deckhand/nodes';
import { expect, it } from '@jest/globals';
import { describeNodeTypes } from './describe-node-types.ts';

it('names the codes with which only some types of nodes fail', async () => {
  const entries = new Map(describeNodeTypes(await loadNodeTypes()).map((entry) => [entry.type, entry.errors]));
  expect(entries.get('terminal')).toEqual(['RESULT_INVALID']);
  expect(entries.get('trigger.manual')).toEqual([]);
});
