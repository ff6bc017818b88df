import { isExpression } from '../expressions/template.ts';
import type { JsonValue } from '@deckhand/contracts';
import { unsupported } from '../unsupported.ts';
import { isList, show } from '../workflow.ts';

/* JavaScript of scripts that does what n8n does with lodash. */

/** Reads a field by its name, in which dots name fields within others. */
export const GET = [
  'const get = (item, path) =>',
  '  path in item ? item[path] : path.split(".").reduce((value, key) => value?.[key], item);',
];

/** The same where dots have no meaning. */
export const GET_OWN = ['const get = (item, name) => item[name];'];

/** Writes a value as text that is the same for equal values. */
export const TEXT_OF = [
  "const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);",
  'const sorted = (_key, value) =>',
  '  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;',
  'const textOf = (value) => JSON.stringify(value, sorted);',
];

/** Returns names of fields that are written with commas between them, or as a list. @throws UnsupportedError */
export function fieldNames(given: JsonValue | undefined): string[] {
  if (isExpression(given)) return unsupported('names of fields that are expressions');
  const names = isList(given) ? given.map(show) : show(given ?? '').split(',');
  return names.map((name) => plainName(name.trim())).filter((name) => name !== '');
}

/** Returns the name of a field. @throws UnsupportedError for an expression, and for a place in a list. */
export function plainName(name: string): string {
  if (isExpression(name)) return unsupported('names of fields that are expressions');
  return name.includes('[') ? unsupported(`the field "${name}" is in a list`) : name;
}

/** Returns the way from an item to a field, such as `a.b[0]["c"]`, whose name may have dots. */
export function pathTo(field: string): string {
  const parts = field.matchAll(/[^.[\]]+|\[(?:(-?\d+)|"([^"]*)"|'([^']*)')\]/g);
  return [...parts]
    .map(([all, index, inDouble, inSingle]) => `?.[${JSON.stringify(index ?? inDouble ?? inSingle ?? all)}]`)
    .join('');
}
