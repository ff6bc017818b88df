import type { JsonObject } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_TYPES } from '../testing/built-in-types.ts';
import { summarize } from './summarize.ts';

const summary = (type: string, parameters: JsonObject) =>
  summarize({ id: 'a', type, parameters }, BUILT_IN_TYPES.get(type));

describe('a summary', () => {
  it.each<[string, JsonObject, string]>([
    ['http', { url: 'https://api.example.com/healthz' }, 'GET api.example.com/healthz'],
    ['http', { method: 'POST', url: '{{ $vars.base }}/orders' }, 'POST $vars.base/orders'],
    ['if', { condition: '{{ $input.status == 200 }}' }, '$input.status == 200'],
    ['trigger.webhook', {}, 'POST'],
    ['trigger.schedule', { cron: '*/5 * * * *' }, 'every 5 min'],
    ['loop', { items: '{{ $input.orders }}' }, 'each of $input.orders'],
    ['loop', { items: [1, 2, 3] }, 'each of 3 items'],
    ['loop', { mode: 'until', condition: '{{ $loop.index > 3 }}' }, 'until $loop.index > 3'],
    ['merge', { mode: 'count', count: 2 }, 'the first 2'],
    ['wait', { seconds: 30 }, '30 s'],
    ['wait', { until: '2027-01-01T00:00:00Z' }, 'until 2027-01-01T00:00:00Z'],
    ['set', { fields: { name: 1, total: 2 } }, 'name, total'],
    [
      'filter',
      { conditions: [{ field: 'a', operator: 'greater', value: 3 }, { operator: 'exists' }] },
      'a greater 3 and item exists',
    ],
    ['sort', { by: [{ field: 'date' }, {}] }, 'date, item'],
    [
      'aggregate',
      { operations: [{ operation: 'sum', field: 'price', as: 'total' }, { operation: 'count' }] },
      'sum price, count',
    ],
    ['email', { to: ['ada@example.com', 'bob@example.com'] }, 'to ada@example.com, bob@example.com'],
    ['postgres', { query: 'SELECT *\n  FROM orders' }, 'SELECT * FROM orders'],
    ['approval', { message: ' Ship it? ' }, 'Ship it?'],
  ])('of %s with %j is %s', (type, parameters, expected) => {
    expect(summary(type, parameters)).toBe(expected);
  });

  it.each<[string, JsonObject]>([
    ['http', {}],
    ['if', { condition: null }],
    ['set', { fields: {} }],
    ['wait', {}],
    ['loop', {}],
    ['filter', { conditions: ['not an object'] }],
    ['constructor', { a: 1 }],
    ['of.a.later.version', { url: 'https://example.com' }],
  ])('of %s with %j is left out', (type, parameters) => {
    expect(summary(type, parameters)).toBeUndefined();
  });

  it('is short, however long the parameters are', () => {
    expect(summary('approval', { message: 'x'.repeat(1_000_000) })).toHaveLength(80);
    expect(summary('set', { fields: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, i])) })).toBe(
      'f0, f1, f2, f3, f4, f5, f6, f7, f8, f9',
    );
  });
});
