import { toNumber } from '../operators.ts';
import { spendSteps, type Run } from '../run.ts';
import type { GlobalFunction } from './definition.ts';
import type { Value } from '../value.ts';

function ofOne(name: string, doc: string, apply: (x: number) => number): GlobalFunction {
  return { signature: `Math.${name}(x: number): number`, doc, apply: (run, args) => apply(toNumber(run, args[0])) };
}

function ofAll(name: string, doc: string, start: number, apply: (a: number, b: number) => number): GlobalFunction {
  return {
    signature: `Math.${name}(...numbers: number[]): number`,
    doc,
    apply: (run, args) => fold(run, args, start, apply),
  };
}

function fold(run: Run, args: readonly Value[], start: number, apply: (a: number, b: number) => number): number {
  spendSteps(run, args.length);
  return args.reduce<number>((result, arg) => apply(result, toNumber(run, arg)), start);
}

/** The functions of `Math`. There is no `random`, so that the same data gives the same result. */
export const mathFunctions: readonly GlobalFunction[] = [
  ofOne('abs', 'Without the sign.', (x) => Math.abs(x)),
  ofOne('ceil', 'Rounded up.', (x) => Math.ceil(x)),
  ofOne('floor', 'Rounded down.', (x) => Math.floor(x)),
  ofOne('round', 'Rounded to the nearest whole number.', (x) => Math.round(x)),
  ofOne('trunc', 'Without what follows the point.', (x) => Math.trunc(x)),
  ofOne('sign', '-1, 0 or 1.', (x) => Math.sign(x)),
  ofOne('sqrt', 'The square root.', (x) => Math.sqrt(x)),
  ofOne('cbrt', 'The cube root.', (x) => Math.cbrt(x)),
  ofOne('exp', 'e to that power.', (x) => Math.exp(x)),
  ofOne('log', 'The natural logarithm.', (x) => Math.log(x)),
  ofOne('log2', 'The logarithm to base 2.', (x) => Math.log2(x)),
  ofOne('log10', 'The logarithm to base 10.', (x) => Math.log10(x)),
  ofAll('max', 'The largest number.', -Infinity, (a, b) => Math.max(a, b)),
  ofAll('min', 'The smallest number.', Infinity, (a, b) => Math.min(a, b)),
  {
    signature: 'Math.pow(x: number, y: number): number',
    doc: 'x to the power of y, as x ** y.',
    apply: (run, args) => toNumber(run, args[0]) ** toNumber(run, args[1]),
  },
];

/** The constants of `Math`. */
export const constants: ReadonlyMap<string, number> = new Map([
  ['Math.PI', Math.PI],
  ['Math.E', Math.E],
  ['Number.MAX_SAFE_INTEGER', Number.MAX_SAFE_INTEGER],
  ['Number.MIN_SAFE_INTEGER', Number.MIN_SAFE_INTEGER],
  ['Number.EPSILON', Number.EPSILON],
]);
