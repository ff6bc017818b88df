import type { BinaryExpression, ConditionalExpression, LogicalExpression, UnaryExpression } from 'acorn';
import { toNumber, add, isIn, isLess, isLooselyEqual, isStrictlyEqual } from '../operators.ts';
import { refuse, type Compiler, type Evaluate } from './compiler.ts';
import type { Run } from '../run.ts';
import type { Value } from '../value.ts';

type Operate = (run: Run, a: Value, b: Value) => Value;

function arithmetic(operate: (a: number, b: number) => number): Operate {
  return (run, a, b) => operate(toNumber(run, a), toNumber(run, b));
}

const operations: ReadonlyMap<string, Operate> = new Map<string, Operate>([
  ['+', add],
  ['-', arithmetic((a, b) => a - b)],
  ['*', arithmetic((a, b) => a * b)],
  ['/', arithmetic((a, b) => a / b)],
  ['%', arithmetic((a, b) => a % b)],
  ['**', arithmetic((a, b) => a ** b)],
  ['|', arithmetic((a, b) => a | b)],
  ['&', arithmetic((a, b) => a & b)],
  ['^', arithmetic((a, b) => a ^ b)],
  ['<<', arithmetic((a, b) => a << b)],
  ['>>', arithmetic((a, b) => a >> b)],
  ['>>>', arithmetic((a, b) => a >>> b)],
  ['===', isStrictlyEqual],
  ['!==', (run, a, b) => !isStrictlyEqual(run, a, b)],
  ['==', isLooselyEqual],
  ['!=', (run, a, b) => !isLooselyEqual(run, a, b)],
  ['<', (run, a, b) => isLess(run, a, b, false)],
  ['<=', (run, a, b) => isLess(run, a, b, true)],
  ['>', (run, a, b) => isLess(run, b, a, false)],
  ['>=', (run, a, b) => isLess(run, b, a, true)],
  ['in', isIn],
]);

/** Compiles an operator between two values. */
export function compileBinary(compiler: Compiler, node: BinaryExpression): Evaluate {
  if (node.left.type === 'PrivateIdentifier') return refuse(node.left, 'private names are not part of the language');
  const operate = operations.get(node.operator);
  if (operate === undefined) return refuse(node, `the operator "${node.operator}" is not part of the language`);
  const left = compiler.compile(node.left);
  const right = compiler.compile(node.right);
  const at = node.start;
  return (run) => {
    const a = left(run);
    const b = right(run);
    run.at = at;
    return operate(run, a, b);
  };
}

/** Compiles `!`, `-`, `+`, `~` and `typeof`. */
export function compileUnary(compiler: Compiler, node: UnaryExpression): Evaluate {
  const operand = compiler.compile(node.argument);
  switch (node.operator) {
    case '!':
      return (run) => !operand(run);
    case '-':
      return (run) => -toNumber(run, operand(run));
    case '+':
      return (run) => toNumber(run, operand(run));
    case '~':
      return (run) => ~toNumber(run, operand(run));
    case 'typeof':
      return (run) => typeof operand(run);
    default:
      return refuse(node, `"${node.operator}" is not part of the language`);
  }
}

/** Compiles `&&`, `||` and `??`. The right side is evaluated only if needed. */
export function compileLogical(compiler: Compiler, node: LogicalExpression): Evaluate {
  const left = compiler.compile(node.left);
  const right = compiler.compile(node.right);
  switch (node.operator) {
    case '&&':
      return (run) => left(run) && right(run);
    case '||':
      return (run) => {
        const value = left(run);
        if (value) return value;
        return right(run);
      };
    case '??':
      return (run) => left(run) ?? right(run);
  }
}

/** Compiles `test ? a : b`. */
export function compileConditional(compiler: Compiler, node: ConditionalExpression): Evaluate {
  const test = compiler.compile(node.test);
  const consequent = compiler.compile(node.consequent);
  const alternate = compiler.compile(node.alternate);
  return (run) => (test(run) ? consequent(run) : alternate(run));
}
