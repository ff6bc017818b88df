import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import type { TObject } from 'typebox';
import { definitionPage, exampleIn, partsOf } from '../../../tests/harness/definition-page.ts';
import type { Schema } from '../../../tests/harness/schema-text.ts';
import { Definition } from './schemas/definition.ts';
import { compileCheck } from './validate.ts';

/** The page, which UPDATE_DOCS=1 writes. */
const PAGE = new URL('../../../docs/definition.md', import.meta.url);

const definition: TObject = Definition;

describe('docs/definition.md', () => {
  it('describes the definition as it is', () => {
    const text = definitionPage(definition);
    if (process.env.UPDATE_DOCS !== undefined) writeFileSync(PAGE, text);
    expect(readFileSync(PAGE, 'utf8')).toBe(text);
  });

  it('says what each member means, with an example unless its type says enough', () => {
    const unclear = partsOf(definition).flatMap(({ path, schema: { properties = {} } }) =>
      Object.entries(properties)
        .filter(([, member]) => member.description === undefined || !(isPlain(member) || exampleIn(member)))
        .map(([name]) => `${path}.${name}`),
    );
    expect(unclear).toEqual([]);
  });

  it('begins with a definition that is valid', () => {
    const [, example = ''] = /```json\n([^]*?)```/.exec(definitionPage(definition)) ?? [];
    expect(compileCheck(definition)(JSON.parse(example))).toEqual({ value: JSON.parse(example) });
  });
});

/** Whether the type of a member shows its values: a choice, a boolean, or an object that has a table. */
function isPlain({ type, enum: choice, properties, items }: Schema): boolean {
  return type === 'boolean' || (choice ?? properties ?? items) !== undefined;
}
