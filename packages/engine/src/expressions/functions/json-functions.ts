import { fail } from '../error.ts';
import { toNumber } from '../operators.ts';
import { containerBytes } from '../limits.ts';
import type { JsonValue } from '@deckhand/contracts';
import { settle, spendBytes, spendScan, spendText, type Run } from '../run.ts';
import type { Value } from '../value.ts';
import type { GlobalFunction } from './definition.ts';

/** Maximum number of bytes of data that one character of JSON becomes. */
const bytesPerCharacter = 4;

function stringify(run: Run, args: readonly Value[]): Value {
  if (args[0] === undefined) return undefined;
  if (args[1] !== undefined && args[1] !== null) return fail('JSON.stringify takes null in place of a replacer');
  const indent = Math.min(10, Math.max(0, Math.trunc(toNumber(run, args[2] ?? 0)) || 0));
  return writeJson(run, args[0], indent);
}

/** Returns `value` as JSON text with `indent` spaces per level. Charges its size before it is written. */
export function writeJson(run: Run, value: Value, indent: number): string {
  const { json, bytes } = settle(value, run.bytesLeft, indent);
  spendText(run, bytes);
  const text = JSON.stringify(json, null, indent);
  // Escapes were not counted before.
  if (text.length > bytes) spendBytes(run, text.length - bytes);
  return text;
}

function parse(run: Run, args: readonly Value[]): Value {
  const [text] = args;
  if (typeof text !== 'string') return fail('JSON.parse needs text');
  const parsed = parseJson(run, text);
  // The JavaScript engine's message would quote the text.
  return parsed === undefined ? fail('the text is not valid JSON') : parsed;
}

/** Returns the data of a JSON text, or undefined if it is not valid. Charges the text and its data. */
export function parseJson(run: Run, text: string): Value {
  spendScan(run, text.length * 16);
  spendBytes(run, containerBytes + text.length * bytesPerCharacter);
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function readJson(text: string): Value {
  // The key may contain escapes. Without the key and without escapes there is nothing to remove, and the parser alone
  // is faster.
  const mayHaveProto = text.includes('__proto__') || text.includes('\\u');
  const withoutProto = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value);
  const data: unknown = mayHaveProto ? JSON.parse(text, withoutProto) : JSON.parse(text);
  return isJsonData(data) ? data : undefined;
}

function isJsonData(data: unknown): data is JsonValue {
  return data !== undefined;
}

/** The functions of `JSON`. */
export const jsonFunctions: readonly GlobalFunction[] = [
  {
    signature: 'JSON.stringify(value: any, replacer?: null, indent?: number): string',
    doc: 'As JSON text, with that many spaces a level.',
    apply: stringify,
  },
  { signature: 'JSON.parse(text: string): any', doc: 'The data of a JSON text.', apply: parse },
];
