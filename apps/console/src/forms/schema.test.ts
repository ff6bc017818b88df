import type { JsonObject } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { fieldsFor, toFields, toTaskForm } from './schema.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    note: { type: 'string', title: 'Why?', default: 'none' },
    maxAmount: { type: 'number' },
    isPaid: { type: 'boolean' },
    isUrgent: { type: 'boolean' },
    source: { type: 'string', enum: ['web', 'web', 'shop'] },
  },
  required: ['isPaid'],
};

describe('the form of a human task', () => {
  it("has the fields in its author's order, named by their titles", () => {
    const { fields } = toTaskForm(SCHEMA);
    expect(fields.map(({ label }) => label)).toEqual(['Why?', 'Max amount', 'Is paid', 'Is urgent', 'Source']);
  });

  it('starts with the defaults, and with no for a question that must be answered', () => {
    expect(toTaskForm(SCHEMA).start).toEqual({ note: 'none', isPaid: false });
  });

  it('offers each choice once', () => {
    expect(toTaskForm(SCHEMA).fields.at(-1)?.kind).toEqual({ kind: 'choice', options: ['web', 'shop'] });
  });

  it('has no inputs that are made for parameters of nodes', () => {
    const schema = {
      properties: { source: { type: 'string' }, workflowId: { type: 'string' }, value: {}, schema: {} },
    };
    const kinds = (fields: ReturnType<typeof toFields>) => fields.map(({ kind }) => kind.kind);
    expect(kinds([...toTaskForm(schema).fields])).toEqual(['text', 'text', 'json', 'json']);
    const inputs = { source: 'code', workflowId: 'workflow', value: 'expression', schema: 'form' };
    expect(kinds(toFields(schema, inputs))).toEqual(['code', 'workflow', 'expression', 'form']);
    expect(kinds(toFields(schema, { source: 'of a later version' }))).toEqual(['text', 'text', 'json', 'json']);
  });
});

describe('the form of a node', () => {
  it('has the required fields first, and shows defaults without setting them', () => {
    const fields = toFields(SCHEMA);
    expect(fields.map(({ name, fallback }) => [name, fallback])).toEqual([
      ['isPaid', undefined],
      ['note', 'none'],
      ['maxAmount', undefined],
      ['isUrgent', undefined],
      ['source', undefined],
    ]);
  });

  it('leaves out what is for other values of a field, unless it has a value', () => {
    const properties = {
      mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
      one: { type: 'string' },
      two: { type: 'object', properties: { inner: { type: 'number' } } },
    };
    const fields = toFields({ properties }, { two: 'group' });
    expect(fields[2]?.kind).toMatchObject({ kind: 'group', fields: [{ name: 'inner', kind: { kind: 'number' } }] });
    const shown = (value: JsonObject) =>
      fieldsFor(fields, { one: { mode: ['a'] }, two: { mode: ['b'] } }, value).map(({ name }) => name);
    expect([shown({}), shown({ mode: 'b' })]).toEqual([
      ['mode', 'one'],
      ['mode', 'two'],
    ]);
    expect(shown({ mode: 'b', one: 'x' })).toEqual(['mode', 'one', 'two']);
  });

  it("calls an object of a list by the title of the list's items, and otherwise by the singular of the label", () => {
    const listOf = (items: JsonObject): JsonObject => ({
      type: 'array',
      items: { type: 'object', properties: { field: { type: 'string' } }, ...items },
    });
    const fields = toFields({ properties: { by: listOf({ title: 'Sort field' }), lines: listOf({}) } });
    expect(fields.map(({ kind }) => (kind.kind === 'rows' ? kind.one : kind))).toEqual(['Sort field', 'Line']);
  });
});
