import type { ArrayExpression, Expression, Node, SpreadElement } from 'acorn';
import { fail } from '../failure.ts';
import { containerBytes, elementBytes } from '../limits.ts';
import { spendBytes, spendSteps, type Run } from '../run.ts';
import { isList, kindOf, type Value } from '../value.ts';
import { refuse, type Compiler, type Evaluate } from './compiler.ts';

/** Returns the values of a list of elements: of an array literal, or of the arguments of a call. */
export type EvaluateAll = (run: Run) => readonly Value[];

type Elements = readonly (Expression | SpreadElement | null)[];

/** The node of the elements, for the position of a hole between them. */
type Holder = Pick<Node, 'start'>;

/** Compiles elements, of which some may be spread (`...list`). */
export function compileElements(compiler: Compiler, nodes: Elements, holder: Holder): EvaluateAll {
  const elements = nodes.map((node) => compileElement(compiler, node, holder));
  const { length } = elements;
  const hasSpread = elements.some(({ isSpread }) => isSpread);
  if (length === 0) return () => [];
  if (hasSpread) return (run) => spreadAll(run, elements);
  const evaluators = elements.map(({ evaluate }) => evaluate);
  const [first, second] = evaluators;
  if (length === 1 && first) return (run) => [first(run)];
  if (length === 2 && first && second) return (run) => [first(run), second(run)];
  return (run) => evaluators.map((evaluate) => evaluate(run));
}

interface Element {
  readonly evaluate: Evaluate;
  readonly isSpread: boolean;
  readonly at: number;
}

function compileElement(compiler: Compiler, node: Expression | SpreadElement | null, holder: Holder): Element {
  if (node === null) return refuse(holder, 'an array cannot have holes');
  const isSpread = node.type === 'SpreadElement';
  return { evaluate: compiler.compile(isSpread ? node.argument : node), isSpread, at: node.start };
}

function spreadAll(run: Run, elements: readonly Element[]): readonly Value[] {
  const values: Value[] = [];
  for (const { evaluate, isSpread, at } of elements) {
    const value = evaluate(run);
    run.at = at;
    if (isSpread) spreadInto(run, values, value);
    else values.push(value);
  }
  return values;
}

function spreadInto(run: Run, values: Value[], value: Value): void {
  const isText = typeof value === 'string';
  if (!isText && !isList(value)) return fail(`only an array or a text can be spread here, not ${kindOf(value)}`);
  spendBytes(run, value.length * elementBytes);
  spendSteps(run, value.length / 16);
  for (const item of value) values.push(item);
}

/** Compiles an array literal. */
export function compileArray(compiler: Compiler, node: ArrayExpression): Evaluate {
  const elements = compileElements(compiler, node.elements, node);
  const bytes = containerBytes + node.elements.length * elementBytes;
  return (run) => {
    run.at = node.start;
    spendBytes(run, bytes);
    return elements(run);
  };
}
