import { describe, expect, it } from '@jest/globals';
import Type from 'typebox';
import { nullable, oneOf } from './schemas/common.ts';
import { compileBody, compileCheck, compileLenientCheck } from './validate.ts';
import { compileNullRemoval } from './without-nulls.ts';

const Inner = Type.Object({ limit: Type.Optional(Type.Integer()), key: Type.String() });
const schema = Type.Object(
  {
    name: Type.String(),
    mode: Type.Optional(oneOf(['a', 'b'])),
    folder: Type.Optional(nullable(Type.String())),
    data: Type.Optional(Type.Unsafe({})),
    inner: Type.Optional(Inner),
    list: Type.Optional(Type.Array(Inner)),
    map: Type.Optional(Type.Record(Type.String(), Type.Object({ size: Type.Optional(Type.Integer()) }))),
    either: Type.Optional(Type.Union([Type.String(), Inner])),
    tags: Type.Optional(Type.Array(nullable(Type.String()))),
  },
  { additionalProperties: false },
);
const remove = compileNullRemoval(schema);

describe('null in a body', () => {
  it.each([
    [{ name: 'n', mode: null, inner: null, list: null, map: null, either: null }, { name: 'n' }],
    [
      { name: 'n', inner: { key: 'k', limit: null }, list: [{ key: 'k', limit: null }] },
      { name: 'n', inner: { key: 'k' }, list: [{ key: 'k' }] },
    ],
    [
      { name: 'n', either: { key: 'k', limit: null }, map: { a: { size: null } } },
      { name: 'n', either: { key: 'k' }, map: { a: {} } },
    ],
  ])('%j is %j, as null is as good as absent', (given, expected) => {
    const before = structuredClone(given);
    expect(compileBody(schema)(given)).toEqual(expected);
    expect(given).toEqual(before);
  });

  it.each([
    ['has a meaning of its own', { name: 'n', folder: null }],
    ['is any JSON', { name: 'n', data: null }],
    ['is an item of a list', { name: 'n', tags: [null] }],
  ])('stays where it %s', (_name, given) => {
    expect(remove?.(given)).toBe(given);
    expect(compileBody(schema)(given)).toBe(given);
  });

  it.each([
    ['for a required member', { name: null, mode: 'a' }, 'name: must be string'],
    ['beside another issue', { name: 5, mode: null }, 'name: must be string'],
    ['for a member of a map', { name: 'n', map: { a: null } }, 'map.a: must be object'],
    ['for an unknown member', { name: 'n', other: null }, 'other: is not a known field'],
  ])('is refused %s', (_name, given, expected) => {
    const result = compileLenientCheck(schema)(given);
    const [issue] = 'issues' in result ? result.issues : [];
    expect(`${issue?.path}: ${issue?.message}`).toBe(expected);
  });

  it('is not removed by a check that is not of a request', () => {
    expect(compileCheck(schema)({ name: 'n', mode: null })).toHaveProperty('issues');
  });
});
