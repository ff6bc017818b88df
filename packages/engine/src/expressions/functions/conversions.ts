import { toNumber, toText } from '../operators.ts';
import { parseIsoDate, toDate } from '../date.ts';
import { spendScan, type Run } from '../run.ts';
import { isList, type Value } from '../value.ts';
import { numberArgument, textArgument } from './arguments.ts';
import type { GlobalFunction } from './definition.ts';

function parseWhole(run: Run, args: readonly Value[]): number {
  const text = textArgument(run, args, 0);
  spendScan(run, text.length);
  return Number.parseInt(text, numberArgument(run, args, 1));
}

function parseDecimal(run: Run, args: readonly Value[]): number {
  const text = textArgument(run, args, 0);
  spendScan(run, text.length);
  return Number.parseFloat(text);
}

/** Returns whether the value is a number: `Number.isInteger` and the like never convert. */
function isNumber(args: readonly Value[], test: (value: number) => boolean): boolean {
  return typeof args[0] === 'number' && test(args[0]);
}

/** Functions that convert values to another type, or test their type. */
export const conversions: readonly GlobalFunction[] = [
  {
    signature: 'Number(value: any): number',
    doc: 'As a number; NaN for what is none.',
    apply: (run, args) => (args.length === 0 ? 0 : toNumber(run, args[0])),
  },
  {
    signature: 'String(value: any): string',
    doc: 'As text.',
    apply: (run, args) => (args.length === 0 ? '' : toText(run, args[0])),
  },
  {
    signature: 'Boolean(value: any): boolean',
    doc: 'False for 0, NaN, "", null, undefined and false; true otherwise.',
    apply: (_run, args) => Boolean(args[0]),
  },
  {
    signature: 'date(value: string | number): date',
    doc: 'The date of ISO 8601 text (UTC where it names no zone) or of milliseconds since 1970.',
    apply: (_run, args) => toDate(args[0]),
  },
  {
    signature: 'parseInt(text: string, radix?: number): number',
    doc: 'The whole number that a text begins with.',
    apply: parseWhole,
  },
  { signature: 'parseFloat(text: string): number', doc: 'The number that a text begins with.', apply: parseDecimal },
  {
    signature: 'isNaN(value: any): boolean',
    doc: 'Whether it is not a number.',
    apply: (run, args) => Number.isNaN(toNumber(run, args[0])),
  },
  {
    signature: 'isFinite(value: any): boolean',
    doc: 'Whether it is a number, and not infinite.',
    apply: (run, args) => Number.isFinite(toNumber(run, args[0])),
  },
  {
    signature: 'Number.isInteger(value: any): boolean',
    doc: 'Whether it is a whole number.',
    apply: (_run, args) => isNumber(args, Number.isInteger),
  },
  {
    signature: 'Number.isFinite(value: any): boolean',
    doc: 'Whether it is of type number, and not infinite.',
    apply: (_run, args) => isNumber(args, Number.isFinite),
  },
  {
    signature: 'Number.isNaN(value: any): boolean',
    doc: 'Whether it is the number NaN.',
    apply: (_run, args) => isNumber(args, Number.isNaN),
  },
  {
    signature: 'Number.parseInt(text: string, radix?: number): number',
    doc: 'The same as parseInt.',
    apply: parseWhole,
  },
  { signature: 'Number.parseFloat(text: string): number', doc: 'The same as parseFloat.', apply: parseDecimal },
  {
    signature: 'Array.isArray(value: any): boolean',
    doc: 'Whether it is an array.',
    apply: (_run, args) => isList(args[0]),
  },
  {
    signature: 'Date.parse(text: string): number',
    doc: 'The milliseconds since 1970 of ISO 8601 text; NaN for other text.',
    apply: (run, args) => parseIsoDate(textArgument(run, args, 0)),
  },
];
