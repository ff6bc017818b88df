import { describe, expect, it } from '@jest/globals';
import Type from 'typebox';
import { DeckhandError, MAX_ISSUES } from './errors.ts';
import { GivenTime, nullable } from './schemas/common.ts';
import { compileBody, compileCheck, compileQuery } from './validate.ts';

const Body = Type.Object({ name: Type.String(), count: Type.Integer() }, { additionalProperties: false });

/** An object with so many members that no schema knows. */
const unknownMembers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]));

function refusalOf(body: unknown): { details: unknown[]; extra: object } {
  try {
    compileBody(Body)(body);
  } catch (error) {
    if (error instanceof DeckhandError && Array.isArray(error.details))
      return { extra: error.extra, details: error.details };
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a body that is not valid', () => {
  it('lists the error of each schema when it fits none of them', () => {
    const check = compileCheck(Type.Object({ at: nullable(GivenTime) }));
    expect(check({ at: 'soon' })).toEqual({
      issues: ['match format "date-time"', 'match format "date"', 'be null'].map((what) => ({
        path: 'at',
        message: `must ${what}`,
      })),
    });
    for (const at of ['2026-12-31', '2026-12-31T09:30', '20261231T0930Z', null])
      expect(check({ at })).toEqual({ value: { at } });
  });

  it('is told all that is wrong', () => {
    const { details, extra } = refusalOf({ name: 1, other: 2 });
    expect(details).toHaveLength(3);
    expect(extra).toEqual({});
  });

  it('is told the first issues, and that there are more', () => {
    const { details, extra } = refusalOf(unknownMembers(100));
    expect(details).toHaveLength(MAX_ISSUES);
    expect(extra).toEqual({ truncated: true });
  });

  it.each([
    ['members', { ...unknownMembers(20_000) }],
    ['items', { name: Array.from({ length: 20_000 }, () => ({})) }],
    ['members further in', { name: { deep: unknownMembers(20_000) } }],
  ])('has only its first issue looked for where it has very many %s', (_, body) => {
    const { details, extra } = refusalOf(body);
    expect(details).toHaveLength(1);
    expect(extra).toEqual({ truncated: true });
  });

  it('is not changed by looking for more issues', () => {
    const check = compileCheck(Body);
    expect(check({ name: 'a', count: 1 })).toEqual({ value: { name: 'a', count: 1 } });
  });
});

describe('a whole number in a query', () => {
  const parse = compileQuery(Type.Object({ limit: Type.Integer({ default: 100 }) }));

  it.each([
    ['7', 7],
    ['007', 7],
    ['-7', -7],
    [undefined, 100],
  ])('%s is %s', (limit, expected) => expect(parse(limit === undefined ? {} : { limit }).limit).toBe(expected));

  it.each(['0x10', '1e2', ' 5', '+5', '5 ', '5.0', '', 'Infinity', '１'])('is not "%s"', (limit) => {
    expect(() => parse({ limit })).toThrow('limit: must be integer');
  });
});
