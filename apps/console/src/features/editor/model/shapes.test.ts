import type { JsonObject } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { BUILT_IN_TYPES } from '../../../testing/built-in-types.ts';
import { isErrorOutput, shapeOfOutput, shapeOfTrigger } from './shapes.ts';
import type { Outcome } from './upstream.ts';

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
  expect(shapeOfOutput(definition, 'a', { types: BUILT_IN_TYPES, outcome: 'success' })).toEqual(expected);
});

const ERROR = { message: '', code: '' };

it.each<[string, Outcome, unknown]>([
  ['http', 'error', { error: ERROR }],
  ['http', 'either', { status: 0, headers: {}, body: {}, error: ERROR }],
  ['code', 'error', { error: ERROR }],
  ['code', 'either', { error: ERROR }],
  ['try', 'error', { error: { nodeId: '', ...ERROR } }],
])('the output of %s with the outcome %s has known members', (type, outcome, expected) => {
  const definition = { nodes: [{ id: 'a', type }], edges: [] };
  expect(shapeOfOutput(definition, 'a', { types: BUILT_IN_TYPES, outcome })).toEqual(expected);
});

it.each([
  [{ error: { message: 'no', code: 'HTTP_STATUS' } }, true],
  [{ error: { message: 'no', code: 'HTTP_STATUS' }, status: 500 }, false],
  [{ error: 'no' }, false],
  [{ status: 200 }, false],
  [['error'], false],
])('the output %j is that of a failed node: %j', (output, expected) => {
  expect(isErrorOutput(output)).toBe(expected);
});

it('the trigger data has the members that any trigger gives', () => {
  const nodes = ['trigger.manual', 'trigger.schedule', 'trigger.event', 'http'].map((type) => ({ id: type, type }));
  expect(shapeOfTrigger({ nodes, edges: [] }, BUILT_IN_TYPES)).toEqual({
    ...EVENT,
    ...{ scheduledFor: '', timezone: '', nodeId: '', isCatchUp: false },
  });
});
