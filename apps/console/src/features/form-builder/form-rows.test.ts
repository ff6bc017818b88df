import { compileUntrusted, type JsonValue, parseJson } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkForm } from './check-form.ts';
import {
  EMPTY_ROW,
  type FieldType,
  type FormRow,
  hasChoices,
  limitsOf,
  nameOf,
  toProperty,
  toRows,
  toSchema,
  withType,
} from './form-rows.ts';

const TYPES: readonly FieldType[] = [
  'text',
  'longText',
  'number',
  'integer',
  'flag',
  'choice',
  'choices',
  'date',
  'time',
  'email',
  'url',
  'texts',
  'file',
  'files',
];

/** Names that fields may have, also those that have meant something else to some program. */
const NAMES = fc.oneof(
  fc.string({ minLength: 1 }).filter((name) => !/^(\d+|__proto__)$/.test(name)),
  fc.constantFrom('constructor', 'toString', 'amount', 'a.b', 'a/b~c', 'größe', '-1', '1.5'),
);
const JSON_VALUES = fc.json({ maxDepth: 2 }).map(parseJson);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** A row as a schema can say it: with the parts that its type has. */
const ROW: fc.Arbitrary<FormRow> = fc.constantFrom(...TYPES).chain((type) => {
  const limit = limitsOf(type)?.[0] === 'minimum' ? fc.integer().map((n) => n / 4) : fc.nat(20);
  const choices = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 });
  return fc.record({
    type: fc.constant(type),
    name: NAMES,
    label: fc.string(),
    isRequired: fc.boolean(),
    help: fc.string(),
    fallback: maybe(JSON_VALUES),
    min: limitsOf(type) ? maybe(limit) : fc.constant(undefined),
    max: limitsOf(type) ? maybe(limit) : fc.constant(undefined),
    choices: hasChoices(type) ? choices : fc.constant([]),
  });
});
const ROWS = fc.uniqueArray(ROW, { selector: ({ name }) => name, maxLength: 5 });

/** Changes of a schema that a person could have written by hand. */
const KEYWORDS = fc.constantFrom(
  'type',
  'properties',
  'required',
  'title',
  'description',
  'default',
  'enum',
  'format',
  'items',
  'file',
  'minLength',
  'maximum',
  'contentMediaType',
  'additionalProperties',
  'pattern',
  '$schema',
  '__proto__',
);
const SCHEMA: fc.Arbitrary<JsonValue> = fc.letrec<{ schema: JsonValue; value: JsonValue }>((tie) => ({
  schema: fc.dictionary(KEYWORDS, tie('value'), { maxKeys: 4 }),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>('object', 'string', 'number', 'array', 'date', 'email', 'text/plain', '', 3, true, null),
    fc.array(fc.constantFrom('a', 'b', '', 1), { maxLength: 3 }),
    tie('schema'),
  ),
})).schema;

/** The schema of a form, or of its fields, with one more keyword. */
const NEARLY: fc.Arbitrary<JsonValue> = fc
  .tuple(ROWS, KEYWORDS, JSON_VALUES, fc.boolean())
  .map(([rows, keyword, value, isInside]): JsonValue => {
    if (!isInside) return { ...toSchema(rows), [keyword]: value };
    const properties = rows.map((row) => [row.name, { ...toProperty(row), [keyword]: value }] as const);
    return { ...toSchema(rows), properties: Object.fromEntries(properties) };
  });

describe('a form', () => {
  it('has the same rows after it was saved as a schema', () => {
    fc.assert(fc.property(ROWS, (rows) => expect(toRows(toSchema(rows))).toEqual(rows)));
  });

  it('has the same schema after it was opened as rows, or is not opened', () => {
    let opened = 0;
    fc.assert(
      fc.property(fc.oneof(SCHEMA, NEARLY, ROWS.map(toSchema)), (schema) => {
        const rows = toRows(schema);
        if (rows === undefined) return;
        opened += 1;
        expect(toSchema(rows)).toEqual(schema);
      }),
      { numRuns: 2_000 },
    );
    expect(opened).toBeGreaterThan(200);
  });

  it('keeps its schema through JSON', () => {
    fc.assert(
      fc.property(ROWS, (rows) => {
        const text = JSON.stringify(toSchema(rows));
        expect(JSON.stringify(toSchema(toRows(parseJson(text))!))).toBe(text);
      }),
    );
  });

  it.each([
    ['an expression', '{{ $trigger.schema }}'],
    ['an object within the form', { type: 'object', properties: { a: { type: 'object', properties: {} } } }],
    ['a pattern', { type: 'object', properties: { a: { type: 'string', pattern: '^R' } } }],
    ['an unknown keyword', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }],
    ['a limit by an expression', { type: 'object', properties: { a: { type: 'number', minimum: '{{ 1 }}' } } }],
    ['choices that are numbers', { type: 'object', properties: { a: { enum: [1, 2] } } }],
    ['a required field that does not exist', { type: 'object', properties: {}, required: ['a'] }],
    ['a field without a type', { type: 'object', properties: { a: {} } }],
    ['a name of digits, which would lose its place', { type: 'object', properties: { 1: { type: 'string' } } }],
    [
      'a name that objects of JavaScript cannot have',
      parseJson('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    ],
    ['nothing', {}],
  ])('with %s is not opened', (_what, schema: JsonValue) => {
    expect(toRows(schema)).toBeUndefined();
  });

  it('opens what people write by hand, in whichever order its keywords are', () => {
    const schema = {
      required: ['day'],
      properties: { note: { minLength: 3, type: 'string' }, day: { title: 'Paid on', format: 'date', type: 'string' } },
      type: 'object',
    };
    expect(toRows(schema)).toEqual([
      { ...EMPTY_ROW, name: 'note', min: 3 },
      { ...EMPTY_ROW, name: 'day', label: 'Paid on', type: 'date', isRequired: true },
    ]);
  });

  it('leaves out rows without a name of their own, and empty choices', () => {
    const row = { ...EMPTY_ROW, name: 'size' };
    const rows = [EMPTY_ROW, { ...row, type: 'choice', choices: ['S', '', 'S'] } as const, { ...row, label: 'Size' }];
    expect(toSchema(rows)).toEqual({ type: 'object', properties: { size: { type: 'string', enum: ['S'] } } });
  });

  it('accepts and refuses the same data as the API, with the same messages', () => {
    const texts = fc.constantFrom(
      '',
      'a',
      'ada@example.com',
      'https://example.com/a',
      '2026-01-05',
      '2026-01-05T09:00:00Z',
      '👩‍👧',
    );
    const values = fc.oneof(texts, fc.integer(), fc.double({ noNaN: true }), fc.array(texts), JSON_VALUES);
    const rowsAndData = ROWS.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.tuple(...rows.map(({ choices }) => maybe(fc.oneof(values, fc.constantFrom(...choices, 'none'))))),
      ),
    );
    fc.assert(
      fc.property(rowsAndData, ([rows, values]) => {
        const data = Object.fromEntries(
          rows.flatMap(({ name }, index): [string, JsonValue][] => {
            const value = values[index];
            return value === undefined ? [] : [[name, value]];
          }),
        );
        const compiled = compileUntrusted(toSchema(rows));
        if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
        const result = compiled.check(data);
        const issues = 'issues' in result ? result.issues : [];
        const byName = new Map(issues.map(({ path, message }) => [ownerOf(rows, path), message]));
        expect(checkForm(rows, data)).toEqual(byName);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['Amount in EUR', [], 'amountInEur'],
    ['E-mail', [], 'eMail'],
    ['Größe', [], 'groE'],
    ['Élan vital', [], 'elanVital'],
    ['2nd address', [], 'field2ndAddress'],
    ['氏名', [], 'field'],
    ['氏名', ['field'], 'field2'],
    ['Amount', ['amount', 'amount2'], 'amount3'],
    [' ', [], ''],
  ])('derives from the label %j, beside %j, the name %s', (label, taken, name) => {
    expect(nameOf(label, taken)).toBe(name);
  });

  it('of any label has a name that expressions can use, and no other field has', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (label, taken) => {
        const name = nameOf(label, taken);
        expect(name).toMatch(label.trim() === '' ? /^$/ : /^[a-z][A-Za-z0-9]*$/);
        expect(name === '' || !taken.includes(name)).toBe(true);
      }),
    );
  });

  it('keeps of a field whose type changes what the new type has', () => {
    const row: FormRow = { ...EMPTY_ROW, name: 'a', type: 'text', min: 2, fallback: 'x' };
    expect(withType(row, 'email')).toEqual({ ...row, type: 'email', fallback: undefined });
    expect(withType(row, 'number')).toEqual({ ...row, type: 'number', fallback: undefined, min: undefined });
    const choice: FormRow = { ...EMPTY_ROW, type: 'choice', choices: ['S'] };
    expect(withType(choice, 'choices').choices).toEqual(['S']);
    expect(withType(choice, 'flag').choices).toEqual([]);
  });
});

/** Returns the field of an issue: its path is the name of the field, or goes on with the index of an item. */
function ownerOf(rows: readonly FormRow[], path: string): string {
  const names = rows.map(({ name }) => name);
  return names.find((name) => name === path) ?? names.find((name) => path.startsWith(`${name}[`)) ?? path;
}
