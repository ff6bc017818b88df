import { fail } from '../error.ts';
import { numberArgument, wholeArgument } from './arguments.ts';
import { plain, type PlainMethod } from './definition.ts';
import type { Value } from '../value.ts';
import type { Run } from '../run.ts';

function within(value: number, low: number, high: number, message: string): number {
  return value >= low && value <= high ? value : fail(message);
}

function toPrecision(run: Run, value: number, args: readonly Value[]): string {
  const digits = numberArgument(run, args, 0);
  if (digits === undefined) return String(value);
  return value.toPrecision(within(digits, 1, 100, 'toPrecision needs 1 to 100 digits'));
}

/** Methods of numbers. */
export const numberMethods: readonly PlainMethod<number>[] = [
  plain('toFixed(digits?: number): string', 'As text with that many digits after the point.', (run, value, args) =>
    value.toFixed(within(wholeArgument(run, args, 0, 0), 0, 100, 'toFixed needs 0 to 100 digits')),
  ),
  plain('toPrecision(digits?: number): string', 'As text with that many significant digits.', toPrecision),
  plain('toString(radix?: number): string', 'As text, in base 10 or another from 2 to 36.', (run, value, args) =>
    value.toString(within(wholeArgument(run, args, 0, 10), 2, 36, 'toString needs a radix of 2 to 36')),
  ),
];

/** Methods of booleans. */
export const booleanMethods: readonly PlainMethod<boolean>[] = [
  plain('toString(): string', '"true" or "false".', (_run, value) => String(value)),
];
