import { expect, it } from '@jest/globals';
import { rangeOf } from './run-filter.ts';

it('periods begin with a minute, or with a day of this browser', () => {
  const now = new Date(2026, 2, 29, 15, 30, 45);
  const local = (day: number, hour = 0, minute = 0, second = 0, ms = 0): string =>
    new Date(2026, 2, day, hour, minute, second, ms).toISOString();
  expect(rangeOf({ within: '15m' }, now)).toEqual({ gte: local(29, 15, 15) });
  expect(rangeOf({ within: 'today' }, now)).toEqual({ gte: local(29) });
  expect(rangeOf({ within: 'yesterday' }, now)).toEqual({ gte: local(28), lte: local(28, 23, 59, 59, 999) });
  expect(rangeOf({ from: 'a', to: 'b' }, now)).toEqual({ gte: 'a', lte: 'b' });
  expect(rangeOf({}, now)).toEqual({});
});
