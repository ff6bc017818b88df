import type { JsonObject } from '@deckhand/contracts';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { object, show } from '../workflow.ts';
import type { Conversion, Converted } from './converter.ts';
import { noOperation } from './flow.ts';
import { scriptNode } from './list-node.ts';
import { fieldNames, GET, GET_OWN, TEXT_OF } from './lodash.ts';

/** Keeps the first of items whose fields are equal. */
export function removeDuplicatesNode(conversion: Conversion): Converted {
  const { node, parameters, review } = conversion;
  const { operation = 'removeDuplicateInputItems' } = parameters;
  if (node.version >= 2 && operation !== 'removeDuplicateInputItems') {
    if (operation !== 'clearDeduplicationHistory') {
      return unsupported('items seen in previous runs: remember them in a table, for example of PostgreSQL');
    }
    review('it only passes its items on: runs here remember no items that it could forget');
    return noOperation(conversion);
  }
  // Version 1.1 allows null, as all later ones.
  return withoutDuplicates(conversion, node.version > 1 ? 'exceptNull' : 'all');
}

/**
 * Keeps the first of items whose fields are equal.
 * @param types whether a field must have the same type in all items.
 */
export function withoutDuplicates(conversion: Conversion, types: 'all' | 'exceptNull' | 'none'): Converted {
  const { parameters, input, review } = conversion;
  const { compare = 'allFields', options } = parameters;
  const {
    disableDotNotation = false,
    removeOtherFields = false,
    ...others
  } = compare === 'allFields' ? {} : object(options);
  if (Object.keys(others).length > 0) return unsupported(`the options ${Object.keys(others).join(', ')}`);
  if (typeof disableDotNotation !== 'boolean' || typeof removeOtherFields !== 'boolean') {
    return unsupported('options that are expressions');
  }
  const keys = keysOf(parameters, disableDotNotation);
  const isOpaque = compare === 'selectedFields' || disableDotNotation || types !== 'all';
  if (isOpaque) {
    review(
      'duplicates whose compared fields are null, lists or objects are all removed here, n8n may keep some of them',
    );
  }
  const lines = [
    ...(disableDotNotation ? GET_OWN : GET),
    ...TEXT_OF,
    'const fieldsOf = (value, path = []) =>',
    '  typeof value === "object" && value !== null',
    '    ? Object.entries(value).flatMap(([key, each]) => fieldsOf(each, [...path, key]))',
    '    : [path.join(".")];',
    `const items = ${asList(input)};`,
    `const fields = ${keys};`,
    'for (const field of fields) {',
    '  const values = items.map((item) => get(item, field));',
    '  if (values.includes(undefined)) throw new Error(`the field "${field}" is missing from some items`);',
    ...(types === 'none'
      ? []
      : [
          `  const types = new Set(values${types === 'all' ? '' : '.filter((value) => value !== null)'}.map((value) => typeof value));`,
          '  if (types.size > 1) throw new Error(`the field "${field}" has several types`);',
        ]),
    '}',
    'const seen = new Set();',
    'const kept = items.filter((item) => {',
    '  const text = textOf(fields.map((field) => get(item, field)));',
    '  if (seen.has(text)) return false;',
    '  seen.add(text);',
    '  return true;',
    '});',
    ...(removeOtherFields
      ? ['const result = kept.map((item) => Object.fromEntries(fields.map((field) => [field, item[field]])));']
      : ['const result = kept;']),
    `return result${input.shape === 'one' ? '[0]' : ''};`,
  ];
  return scriptNode(conversion, lines.join('\n'), input.shape);
}

/** Returns JavaScript for the names of the fields that are compared. */
function keysOf(parameters: JsonObject, isOwn: boolean): string {
  const { compare = 'allFields', fieldsToExclude, fieldsToCompare, options } = parameters;
  const names = isOwn ? 'Object.keys(item)' : 'fieldsOf(item)';
  const hasRest = object(options).removeOtherFields === true && compare !== 'allFields';
  switch (compare) {
    case 'allFields':
      return `[...new Set(items.flatMap((item) => ${names}))]`;
    case 'allFieldsExcept': {
      const excluded = fieldNames(fieldsToExclude);
      if (excluded.length === 0) return unsupported('no fields to exclude');
      if (hasRest && !isOwn) return unsupported('other fields are removed (removeOtherFields)');
      // Unless dots have no meaning, only the first item counts.
      const all = isOwn ? `[...new Set(items.flatMap((item) => ${names}))]` : 'fieldsOf(items[0])';
      return `${all}.filter((field) => !${JSON.stringify(excluded)}.includes(field))`;
    }
    case 'selectedFields': {
      const compared = fieldNames(fieldsToCompare);
      if (compared.length === 0) return unsupported('no fields to compare');
      if (hasRest && compared.some((name) => name.includes('.'))) {
        return unsupported('other fields are removed, and fields within others kept (removeOtherFields)');
      }
      return JSON.stringify(compared);
    }
    default:
      return unsupported(`comparing ${show(compare)}`);
  }
}
