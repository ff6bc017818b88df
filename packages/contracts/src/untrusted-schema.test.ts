import { describe, expect, it } from '@jest/globals';
import { estimateCheckCost } from './untrusted-schema.ts';
import { compileUntrusted } from './validate.ts';

/** The issues of a value; those of the schema where that is at fault. */
function issuesOf(schema: object, value: unknown) {
  const compiled = compileUntrusted(schema);
  if ('issues' in compiled) return compiled.issues;
  const result = compiled.check(value);
  return 'issues' in result ? result.issues : [];
}

describe('a schema of a user', () => {
  it.each([
    [{ type: 'string', pattern: '^(a+)+$' }],
    [{ type: 'string', pattern: '(x|xx)*y$' }],
    [{ patternProperties: { '^(a+)+$': { type: 'null' } }, additionalProperties: false }],
  ])('cannot make a pattern take for ever: %j', (schema) => {
    const text = 'a'.repeat(40);
    expect(issuesOf(schema, `${text}!`)).toHaveLength('pattern' in schema ? 1 : 0);
    expect(issuesOf(schema, { [`${text}!`]: null })).toHaveLength(1);
  });

  it('matches as patterns do', () => {
    expect(issuesOf({ pattern: '^R-\\d{2,}$' }, 'R-12')).toEqual([]);
    expect(issuesOf({ pattern: '^\\p{L}+$' }, 'Größe')).toEqual([]);
    expect(issuesOf({ pattern: '^R-\\d{2,}$' }, 'R-1')).toHaveLength(1);
  });

  it.each([
    ['(?=a)b', 'no lookaround'],
    ['(a)\\1', 'no back references'],
    ['(?:a{1000}){1000}', 'too large'],
    ['a'.repeat(1_001), 'too large'],
    ['(', 'cannot be used'],
  ])('is refused for the pattern %s', (pattern, reason) => {
    const compiled = compileUntrusted({ pattern });
    expect('issues' in compiled && compiled.issues[0]?.message).toContain(reason);
  });

  it.each([
    ['many parts', { anyOf: Array.from({ length: 501 }, () => ({ type: 'object' })) }, 'more than 500 parts'],
    ['many values', { enum: Array.from({ length: 10_001 }, (_, n) => n) }, 'more than 10,000 values'],
    ['depth', Array.from({ length: 51 }).reduce<object>((items) => ({ items }), {}), 'deeper than 50 levels'],
    ['large patterns', { allOf: Array.from({ length: 40 }, () => ({ pattern: 'a{900}' })) }, 'too large'],
    ['another language', { $schema: 'https://example.com/schema' }, 'https://example.com/schema'],
    ['what is not a schema', { type: 'text' }, 'schema/type must be equal to one of the allowed values'],
  ])('is refused for %s', (_name, schema, reason) => {
    const compiled = compileUntrusted(schema);
    expect('issues' in compiled && compiled.issues[0]?.message).toContain(reason);
  });

  it('is compiled once, however often it refers to itself', () => {
    const large = { anyOf: Array.from({ length: 200 }, (_, n) => ({ required: [`p${n}`] })) };
    const schema = { $defs: { large }, allOf: Array.from({ length: 200 }, () => ({ $ref: '#/$defs/large' })) };
    expect(issuesOf(schema, { p199: 1 })).toEqual([]);
  });

  it('may name a member as one that every object of JavaScript has', () => {
    const properties = { constructor: { type: 'string' }, toString: { type: 'number' } };
    expect(issuesOf({ properties }, {})).toEqual([]);
    expect(issuesOf({ properties, required: ['constructor'] }, {})).toEqual([
      { path: 'constructor', message: 'is required' },
    ]);
    expect(issuesOf({ properties }, { constructor: 5 })).toHaveLength(1);
  });

  it('compares the items of a list in linear time', () => {
    const items = Array.from({ length: 100_000 }, (_, n) => ({ n, of: [n] }));
    expect(issuesOf({ uniqueItems: true }, items)).toEqual([]);
    expect(
      issuesOf({ uniqueItems: true }, [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ]),
    ).toHaveLength(1);
    expect(issuesOf({ uniqueItems: false }, [1, 1])).toEqual([]);
    expect(issuesOf({ uniqueItems: true }, [1, '1', null, 'null'])).toEqual([]);
  });

  it.each([
    ['date', '2028-02-29', ['2026-02-29', '31.1.2026', '2026-01-31T09:00:00Z', '']],
    ['date-time', '2028-02-29T09:00:00Z', ['2026-02-29T09:00:00Z', '2028-02-29', '']],
    ['email', 'ada@example.com', ['ada', '']],
    ['uri', 'https://example.com/a', ['/a', '']],
    ['uuid', '8a3f0c52-6b1d-4f0e-9d7a-2f6f1f5f9f10', ['8a3f0c52', '']],
  ])('checks the format %s', (format, right, wrong) => {
    const schema = { properties: { field: { format } } };
    expect(issuesOf(schema, { field: right })).toEqual([]);
    const issue = { path: 'field', message: `must match format "${format}"` };
    for (const field of wrong) expect(issuesOf(schema, { field })).toEqual([issue]);
  });

  it('takes a text for no e-mail address, and no URI, that is very long', () => {
    expect(issuesOf({ format: 'email' }, 'ada@example.com')).toEqual([]);
    expect(issuesOf({ format: 'email' }, `ada@${'a'.repeat(20_000)}.com`)).toHaveLength(1);
    expect(issuesOf({ format: 'uri' }, 'https://example.com/a')).toEqual([]);
    expect(issuesOf({ format: 'uri' }, `https://example.com/${'a'.repeat(20_000)}`)).toHaveLength(1);
  });
});

describe('the cost of a check', () => {
  const doubling = (levels: number) => {
    const target = (n: number) => ({ $ref: `#/$defs/p${n}` });
    const parts = Array.from({ length: levels }, (_, n) => [`p${n}`, { allOf: [target(n + 1), target(n + 1)] }]);
    return { ...target(0), $defs: { ...Object.fromEntries(parts), [`p${levels}`]: { type: 'object' } } };
  };

  it.each([
    ['a usual schema', { type: 'object', properties: { a: { type: 'string' }, b: { minimum: 1 } } }, 5, 20],
    ['many values', { enum: Array.from({ length: 100 }, (_, n) => n) }, 100, 110],
    ['a large pattern', { pattern: '(?:ab{50}){20}' }, 10_000, 12_000],
    ['a large pattern of names', { patternProperties: { '(?:ab{50}){20}': true } }, 10_000, 12_000],
    [
      'references to a part',
      { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs: { a: { enum: [1, 2, 3] } } },
      15,
      30,
    ],
    ['references that double', doubling(20), 1_000_000, 100_000_000],
    ['a recursive schema', { properties: { inner: { $ref: '#' } } }, Infinity, Infinity],
    [
      'parts that refer to each other',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      Infinity,
      Infinity,
    ],
    ['items that must differ', { properties: { a: { uniqueItems: true } } }, 100, 200],
    ['a reference to an anchor', { $ref: '#a', $defs: { a: { $anchor: 'a' } } }, Infinity, Infinity],
    ['another base', { not: { $id: 'https://example.com/a', type: 'string' } }, Infinity, Infinity],
    ['a dynamic reference', { $dynamicRef: '#a' }, Infinity, Infinity],
    [
      'members with names of keywords',
      { properties: { $ref: { type: 'string' }, pattern: { type: 'string' } } },
      5,
      20,
    ],
  ])('is bounded by an estimate: %s', (_name, schema, low, high) => {
    const cost = estimateCheckCost(schema);
    expect(cost).toBeGreaterThanOrEqual(low);
    expect(cost).toBeLessThanOrEqual(high);
  });
});
