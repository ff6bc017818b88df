import type {
  ArrayExpression,
  Expression,
  Literal,
  Node,
  ObjectExpression,
  Property,
  SpreadElement,
  TemplateLiteral,
} from 'acorn';
import { toText } from '../operators.ts';
import { fail } from '../error.ts';
import { containerBytes, elementBytes, memberBytes } from '../limits.ts';
import { checkedKey, isForbiddenKey, ownKeys, readProperty, isList, kindOf, type Value } from '../value.ts';
import { type Run, spendBytes, spendSteps, spendText } from '../run.ts';
import { type Compiler, type Evaluate, refuse } from './compiler.ts';

/** Compiles a literal: text, number, boolean or null. Regular expressions are compiled by the call that uses them. */
export function compileLiteral(node: Literal): Evaluate {
  const { value } = node;
  if (node.regex) {
    return refuse(node, 'a regular expression is only allowed in a call such as text.match(/.../) or /.../.test(text)');
  }
  if (typeof value === 'bigint' || value instanceof RegExp || value === undefined) {
    return refuse(node, 'whole numbers with "n" are not part of the language');
  }
  return () => value;
}

/** Compiles a template literal. */
export function compileTemplateLiteral(compiler: Compiler, node: TemplateLiteral): Evaluate {
  const texts = node.quasis.map((quasi) => quasi.value.cooked ?? '');
  const values = node.expressions.map((expression) => compiler.compile(expression));
  const [first = ''] = texts;
  const textsLength = texts.reduce((sum, text) => sum + text.length, 0);
  return (run) => {
    let characters = textsLength;
    const made = values.map((value) => {
      const text = toText(run, value(run));
      characters += text.length;
      return text;
    });
    run.at = node.start;
    spendText(run, characters);
    return made.reduce((whole, text, index) => whole + text + (texts[index + 1] ?? ''), first);
  };
}

/** Returns the values of a list of elements: of an array literal, or of the arguments of a call. */
type EvaluateAll = (run: Run) => readonly Value[];

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

type Target = Record<string, Value>;

/** Writes one entry of an object literal. */
type Write = (run: Run, target: Target) => void;

/** Compiles an object literal. Methods, getters and setters are issues, as are forbidden keys. */
export function compileObject(compiler: Compiler, node: ObjectExpression): Evaluate {
  const writes = node.properties.map((property) =>
    property.type === 'SpreadElement'
      ? spread(compiler.compile(property.argument), property.start)
      : compileProperty(compiler, property),
  );
  const bytes = containerBytes + writes.length * memberBytes;
  return (run) => {
    run.at = node.start;
    spendBytes(run, bytes);
    const target: Target = {};
    for (const write of writes) write(run, target);
    return target;
  };
}

function compileProperty(compiler: Compiler, property: Property): Write {
  if (property.kind !== 'init' || property.method)
    return refuse(property, 'an object can hold data only, no functions');
  const key = literalKey(property);
  if (key === undefined)
    return computed(compiler.compile(property.key), compiler.compile(property.value), property.key.start);
  if (isForbiddenKey(key)) return refuse(property.key, `the property "${key}" cannot be used`);
  const value = compiler.compile(property.value);
  return (run, target) => {
    target[key] = value(run);
  };
}

function literalKey({ computed: isComputed, key }: Property): string | undefined {
  if (key.type === 'Literal') return String(key.value);
  return !isComputed && key.type === 'Identifier' ? key.name : undefined;
}

function computed(key: Evaluate, value: Evaluate, at: number): Write {
  return (run, target) => {
    const name = toText(run, key(run));
    run.at = at;
    target[checkedKey(name)] = value(run);
  };
}

function spread(source: Evaluate, at: number): Write {
  return (run, target) => {
    const value = source(run);
    run.at = at;
    if (typeof value === 'string' || (value !== undefined && isList(value))) charge(run, value.length);
    const keys = ownKeys(value);
    charge(run, keys.length);
    for (const key of keys) target[key] = readProperty(value, key);
  };
}

function charge(run: Run, members: number): void {
  spendSteps(run, members);
  spendBytes(run, members * memberBytes);
}
