import { describe, expect, it } from '@jest/globals';
import { schemaToType } from './schema-to-type.ts';
import { writeTypes } from './write-types.ts';

const typeOf = (schema: unknown): string => schemaToType(schema, 'T').type.replaceAll(/\s+/g, ' ');

describe('the type of a schema', () => {
  it.each([
    [true, 'unknown'],
    [false, 'never'],
    [{ minimum: 3 }, 'unknown'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ const: 'a"*/' }, '"a\\"*/"'],
    [{ enum: ['a', 1, null, [true]] }, '"a" | 1 | null | (readonly [true])'],
    [{ enum: ['a'], type: 'string' }, '"a"'],
    [{ type: 'array', items: { type: ['string', 'number'] } }, 'readonly (string | number)[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: false }, 'readonly [string?]'],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'null' } }, 'readonly [string?, ...readonly null[]]'],
    [{ type: 'object' }, '{ readonly [name: string]: unknown }'],
    [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [{ additionalProperties: { type: 'number' } }, '{ readonly [name: string]: number }'],
    [{ required: ['a'] }, '{ readonly a: unknown; }'],
    [
      { properties: { 'a-b': { type: 'string' }, c: true }, required: ['c'], additionalProperties: true },
      '{ readonly "a-b"?: string; readonly c: unknown; readonly [name: string]: unknown; }',
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ allOf: [{ required: ['a'] }, { required: ['b'] }] }, '{ readonly a: unknown; } & { readonly b: unknown; }'],
    [{ $ref: '#/$defs/none' }, 'unknown'],
  ])('%j is %s', (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  it('declares what it refers to, also to itself', () => {
    const schema = {
      properties: { tree: { $ref: '#/$defs/a~1tree' }, again: { $ref: '#/$defs/a~1tree' }, self: { $ref: '#' } },
      $defs: { 'a/tree': { properties: { inner: { type: 'array', items: { $ref: '#/$defs/a~1tree' } } } } },
    };
    const { type, named } = schemaToType(schema, 'T');
    expect([...named.keys()]).toEqual(['T_ATree', 'T_Root']);
    expect(type).toContain('readonly again?: T_ATree;');
    expect(named.get('T_ATree')).toContain('readonly inner?: readonly T_ATree[];');
    expect(named.get('T_Root')).toContain('readonly self?: T_Root;');
  });

  it('keeps descriptions as comments, which cannot end early', () => {
    const schema = { properties: { a: { type: 'string', description: 'One */ two\nthree' } } };
    expect(schemaToType(schema, 'T').type).toBe(
      '{\n  /**\n   * One *\\/ two\n   * three\n   */\n  readonly a?: string;\n}',
    );
  });
});

describe('the file', () => {
  const nodes = [{ type: 'trigger.manual', parameters: { inputSchema: { type: 'object' } } }];

  it('gives types distinct names, and leaves out names of several workflows', () => {
    const definition = { nodes };
    const content = writeTypes([
      { id: 'b', slug: null, name: 'Same name', definition },
      { id: 'a', slug: null, name: 'same-name', definition },
      { id: 'c', slug: null, name: 'Same name', definition },
      { id: 'd', slug: null, name: '7 "days"', definition: null },
      { id: 'e', slug: null, name: '', definition },
    ]);
    expect(content.match(/export type \w+/g)).toEqual([
      'export type SameNameInput',
      'export type SameNameInput2',
      'export type SameNameInput3',
      'export type WorkflowInput',
    ]);
    expect(content).toContain(
      'export const workflows = {\n  "": "e",\n  "7 \\"days\\"": "d",\n  "same-name": "a",\n} as const;',
    );
  });

  it('is the same for each workspace that has the same workflows with slugs', () => {
    const end = (bodySchema?: object) => ({ type: 'terminal', parameters: bodySchema ? { bodySchema } : {} });
    const write = (prefix: string) =>
      writeTypes([
        {
          id: `${prefix}1`,
          slug: 'refund-order',
          name: 'Refund',
          definition: { nodes: [...nodes, end({ type: 'null' })] },
        },
        {
          id: `${prefix}2`,
          slug: 'audit',
          name: 'Audit',
          definition: { nodes: [end({ type: 'number' }), end({ type: 'string' })] },
        },
        { id: `${prefix}3`, slug: 'open', name: 'Open', definition: { nodes: [end({ type: 'number' }), end()] } },
      ]);
    expect(write('a')).toBe(write('z'));
    expect(write('a')).toContain(
      'export const workflows = {\n  Audit: "audit",\n  Open: "open",\n  Refund: "refund-order",\n}',
    );
    expect(write('a')).toContain('  interface WorkflowInputs {\n    readonly "refund-order": RefundInput;\n  }');
    expect(write('a')).toContain(
      '  interface WorkflowResults {\n    readonly audit: AuditResult | AuditResult2;\n    readonly "refund-order": RefundResult;\n  }',
    );
  });
});
