import type { Definition } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { CONTAINER_TYPES } from '../../testing/node-type.ts';
import { iterationOf, labelOf, loopsAround } from './iteration.ts';

const node = (id: string, type = 'set') => ({ id, type });
const body = (source: string, target: string) => ({ source, sourceHandle: 'body', target });

/** Two loops, one after the other; in the first one a try with a loop in it. */
const NESTED: Definition = {
  nodes: [
    ...[node('start', 'trigger.manual'), node('outer', 'loop'), node('first'), node('guard', 'try')],
    ...[node('inner', 'loop'), node('a'), node('b'), node('other', 'loop'), node('c')],
  ],
  edges: [
    { source: 'start', target: 'outer' },
    body('outer', 'first'),
    { source: 'first', target: 'guard' },
    body('guard', 'inner'),
    body('inner', 'a'),
    { source: 'a', target: 'b' },
    { source: 'outer', sourceHandle: 'done', target: 'other' },
    body('other', 'c'),
  ],
};

it('a node has the loops around it, without tries', () => {
  expect(['start', 'outer', 'first', 'inner', 'a', 'c'].map((id) => loopsAround(id, NESTED, CONTAINER_TYPES))).toEqual([
    ...[[], [], ['outer'], ['outer'], ['outer', 'inner'], ['other']],
  ]);
});

it.each([
  ['a', 'b', '3.1', '3.1'],
  ['a', 'first', '3.1', '3'],
  ['a', 'inner', '3.1', '3'],
  ['first', 'a', '3', undefined],
  ['a', 'outer', '3.1', undefined],
  ['a', 'c', '3.1', undefined],
  ['a', 'b', undefined, undefined],
])('an iteration of %s is for %s: %s is %s', (from, to, given, expected) => {
  expect(iterationOf(given, { from, to }, NESTED, CONTAINER_TYPES)).toBe(expected);
});

it.each([
  ['a', 'a'],
  [12, '12'],
  [{ id: 7, name: 'Ada' }, 'Ada'],
  [{ id: 7, name: '' }, '7'],
  [{ lines: [1] }, '{"lines":[1]}'],
  [null, 'null'],
  ['x'.repeat(41), `${'x'.repeat(39)}…`],
])('the label of the item %j is %s', (item, expected) => {
  expect(labelOf(item)).toBe(expected);
});
