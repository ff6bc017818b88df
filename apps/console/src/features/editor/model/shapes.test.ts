import type { JsonObject } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { BUILT_IN_TYPES } from '../../../testing/built-in-types.ts';
import { shapeOfOutput, shapeOfTrigger } from './shapes.ts';

const EVENT = { id: '', name: '', key: '', data: {}, receivedAt: '' };

it.each<[string, JsonObject, unknown]>([
  ['trigger.webhook', {}, { body: {}, headers: {}, query: {}, method: '', path: '', timestamp: '' }],
  ['wait.event', {}, EVENT],
  ['http', {}, { status: 0, headers: {}, body: {} }],
  ['approval', {}, { decision: '', approved: false, comment: '', by: '', at: '' }],
  ['set', { fields: { name: 'Ada', total: '{{ $input.a }}' } }, { name: null, total: null }],
  ['set', {}, undefined],
  ['human', { schema: { properties: { amount: { type: 'number' } } } }, { amount: null }],
  ['code', { source: 'return 1' }, undefined],
  ['of.a.later.version', {}, undefined],
])('the output of %s with %j has known members', (type, parameters, expected) => {
  const definition = { nodes: [{ id: 'a', type, parameters }], edges: [] };
  expect(shapeOfOutput(definition, 'a', BUILT_IN_TYPES)).toEqual(expected);
});

it('the trigger data has the members that any trigger gives', () => {
  const nodes = ['trigger.manual', 'trigger.schedule', 'trigger.event', 'http'].map((type) => ({ id: type, type }));
  expect(shapeOfTrigger({ nodes, edges: [] }, BUILT_IN_TYPES)).toEqual({
    ...EVENT,
    ...{ scheduledFor: '', timezone: '', nodeId: '', isCatchUp: false },
  });
});
