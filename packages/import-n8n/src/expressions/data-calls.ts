import { unsupported } from '../unsupported.ts';
import { data, date, type Part } from './parts.ts';

/** Methods of data that mean the same. */
const METHODS = new Set([
  ...['toUpperCase', 'toLowerCase', 'trim', 'trimStart', 'trimEnd', 'padStart', 'padEnd', 'repeat', 'concat', 'slice'],
  ...['substring', 'charAt', 'charCodeAt', 'includes', 'startsWith', 'endsWith', 'indexOf', 'lastIndexOf', 'at'],
  ...[
    'localeCompare',
    'toString',
    'split',
    'replace',
    'replaceAll',
    'match',
    'search',
    'test',
    'toFixed',
    'toPrecision',
  ],
  ...['join', 'flat', 'first', 'last', 'map', 'filter', 'find', 'findIndex', 'findLast', 'some', 'every', 'reduce'],
  ...['flatMap', 'unique', 'hasOwnProperty'],
]);

/**
 * Translates a call of a method of data.
 * @param given its arguments, translated.
 * @throws UnsupportedError for a method that has no equivalent.
 */
export function callData(of: string, method: string, given: () => string, review: (message: string) => void): Part {
  if (method === 'toDateTime' || method === 'toDate') return date(`date(${of})`);
  if (method === 'toNumber') {
    review('toNumber() fails in n8n for a missing value, and for text that is not a number');
    return data(`Number(${of})`);
  }
  if (method === 'toJsonString') {
    review('toJsonString() fails in n8n for a missing value');
    return data(`JSON.stringify(${of})`);
  }
  if (method === 'parseJson') {
    review('parseJson() fails in n8n for what is not text');
    return data(`JSON.parse(${of})`);
  }
  if (method === 'base64Encode' || method === 'base64Decode') return data(`${method}(${of})`);
  if (method === 'isEmpty' || method === 'isNotEmpty') {
    const empty = `(${of} === null || ${of} === undefined || ${of} === '' || JSON.stringify(${of}) === '[]' || JSON.stringify(${of}) === '{}')`;
    return data(method === 'isEmpty' ? empty : `(!${empty})`);
  }
  if (!METHODS.has(method)) return unsupported(`${method}() has no equivalent`);
  return data(`${of}?.${method}(${given()})`);
}
