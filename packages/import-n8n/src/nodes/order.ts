import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { list, object, show, text } from '../workflow.ts';
import { type Conversion, type Converted, incomplete } from './converter.ts';
import { scriptNode } from './list-node.ts';
import { pathTo } from './lodash.ts';
import { fieldName } from './set.ts';

/** Sorts items by fields, as n8n does: texts without case. */
export function sortNode(conversion: Conversion): Converted {
  const { parameters, input, review } = conversion;
  const { type = 'simple', options } = parameters;
  if (type !== 'simple') return unsupported(`sorting by ${show(type)}`);
  if (object(options).disableDotNotation === true) return unsupported('dots in names of fields (disableDotNotation)');
  const fields = list(object(parameters.sortFieldsUi).sortField).map((each) => {
    const { fieldName: given = '', order = 'ascending' } = object(each);
    const field = fieldName(given);
    if (field === '' || field.includes('[')) return unsupported(`the field "${field}"`);
    return { field, line: `  [(item) => item${pathTo(field)}, ${order === 'ascending' ? '1' : '-1'}],` };
  });
  if (fields.length === 0) return incomplete(conversion, 'no field to sort by');
  review('items whose fields are missing or have another type may be in another order');
  const lines = [
    'const fields = [',
    ...fields.map(({ line }) => line),
    '];',
    `const items = ${asList(input)};`,
    'if (fields.some(([read]) => items.every((item) => read(item) === undefined))) {',
    "  throw new Error('no item has the field to sort by');",
    '}',
    "const fold = (value) => (typeof value === 'string' ? value.toLowerCase() : value);",
    'const isSame = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);',
    'return items.toSorted((a, b) => {',
    '  for (const [read, direction] of fields) {',
    '    const [one, other] = [fold(read(a)), fold(read(b))];',
    '    if (!isSame(one, other)) return one < other ? -direction : direction;',
    '  }',
    '  return 0;',
    '});',
  ];
  return scriptNode(conversion, lines.join('\n'), 'list');
}

/** Renames fields. */
export function renameKeysNode(conversion: Conversion): Converted {
  const { parameters, input } = conversion;
  if (Object.keys(object(parameters.additionalOptions)).length > 0) return unsupported('names that patterns change');
  const renamed = list(object(parameters.keys).key).flatMap((each) => {
    const [from, to] = [text(object(each).currentKey), text(object(each).newKey)];
    if (from === undefined || to === undefined || from === to) return [];
    if (/^=|[.[]/.test(from) || /^=|[.[]/.test(to)) return unsupported('names of fields within others');
    return [[from, to]];
  });
  const lines = [
    `const names = ${JSON.stringify(renamed)};`,
    `return ${asList(input)}.map((item) => {`,
    '  const result = { ...item };',
    '  for (const [from, to] of names) {',
    '    if (item[from] === undefined) continue;',
    '    result[to] = item[from];',
    '    delete result[from];',
    '  }',
    '  return result;',
    `})${input.shape === 'one' ? '[0]' : ''};`,
  ];
  return scriptNode(conversion, lines.join('\n'), input.shape);
}
