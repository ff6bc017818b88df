import type { CallExpression, Expression, Identifier, MemberExpression, SpreadElement } from 'acorn';
import { toText } from '../operators.ts';
import { fail } from '../error.ts';
import type { CallbackMethod, MethodTable, PatternMethod, PlainMethod } from '../functions/definition.ts';
import { methods } from '../functions/catalogue.ts';
import type { Pattern } from '../pattern.ts';
import type { Run } from '../run.ts';
import { isList, kindOf, type Value } from '../value.ts';
import { compileCallback } from './arrow.ts';
import { type Compiler, compileRegExp, type Evaluate, excerptOf, refuse, skipped } from './compiler.ts';
import { compileElements } from './literals.ts';
import { failRead } from './members.ts';

/** A method call on a receiver that has a value. */
type Invoke = (run: Run, target: Value) => Value;

const mutators: ReadonlyMap<string, string> = new Map([
  ['push', 'use [...list, item]'],
  ['unshift', 'use [item, ...list]'],
  ['pop', 'use slice(0, -1)'],
  ['shift', 'use slice(1)'],
  ['splice', 'use slice and [...a, ...b]'],
  ['forEach', 'use map'],
]);

/** Compiles `object.method(...)`. A method that no type has is an issue; one that this value lacks fails the run. */
export function compileMethodCall(
  compiler: Compiler,
  node: CallExpression,
  callee: MemberExpression,
  { name, start }: Identifier,
): Evaluate {
  if (callee.object.type === 'Super') return refuse(callee, '"super" is not part of the language');
  const object = compiler.compile(callee.object);
  const objectText = excerptOf(compiler, callee.object);
  const invoke = compileInvoke(compiler, node, name, start);
  const { optional } = callee;
  return (run) => {
    const target = object(run);
    if (target === skipped) return skipped;
    if (target === null || target === undefined) {
      if (optional) return skipped;
      run.at = start;
      return failRead(target, name, objectText);
    }
    return invoke(run, target);
  };
}

function compileInvoke(compiler: Compiler, node: CallExpression, name: string, at: number): Invoke {
  const callbackMethod = methods.array.get(name);
  if (callbackMethod?.kind === 'callback') return invokeCallback(compiler, node, callbackMethod, name, at);
  const patternMethod = methods.string.get(name);
  if (patternMethod?.kind === 'pattern') return invokePattern(compiler, node, patternMethod, name, at);
  const apply = resolvePlain(name);
  if (apply === undefined) return refuse({ start: at }, explainMissing(name));
  const [first] = node.arguments;
  if (name === 'format' && first?.type === 'Literal' && typeof first.value === 'string')
    compiler.formats.add(first.value);
  const args = compileElements(compiler, node.arguments, node);
  return (run, target) => {
    const values = args(run);
    run.at = at;
    return apply(run, target, values);
  };
}

function explainMissing(name: string): string {
  const instead = mutators.get(name);
  return `there is no method "${name}"${instead === undefined ? '' : `, since nothing can be changed; ${instead}`}`;
}

function invokeCallback(
  compiler: Compiler,
  node: CallExpression,
  method: CallbackMethod<readonly Value[]>,
  name: string,
  at: number,
): Invoke {
  const [first, ...rest] = node.arguments;
  const { apply, applyBare } = method;
  const lacks = (target: Value): never => fail(`${kindOf(target)} has no method "${name}"; arrays have`);
  if (first === undefined) {
    if (applyBare === undefined) return refuse({ start: at }, `${name} needs an arrow function, such as x => x.name`);
    return (run, target) => {
      run.at = at;
      return isList(target) ? applyBare(run, target) : lacks(target);
    };
  }
  const callback = compileCallback(compiler, first);
  const args = compileElements(compiler, rest, node);
  return (run, target) => {
    const values = args(run);
    run.at = at;
    return isList(target) ? apply(run, target, callback, values) : lacks(target);
  };
}

function invokePattern(
  compiler: Compiler,
  node: CallExpression,
  { apply }: PatternMethod<string>,
  name: string,
  at: number,
): Invoke {
  const [first, ...rest] = node.arguments;
  const search = compileSearch(compiler, first);
  const args = compileElements(compiler, rest, node);
  return (run, target) => {
    const wanted = search(run);
    const values = args(run);
    run.at = at;
    return typeof target === 'string'
      ? apply(run, target, wanted, values)
      : fail(`${kindOf(target)} has no method "${name}"; strings have`);
  };
}

function compileSearch(
  compiler: Compiler,
  node: Expression | SpreadElement | undefined,
): (run: Run) => Pattern | string | undefined {
  if (node === undefined) return () => undefined;
  if (node.type === 'SpreadElement') return refuse(node, 'the first argument cannot be spread here');
  if (node.type === 'Literal' && node.regex) {
    const pattern = compileRegExp(node, node.regex);
    return () => pattern;
  }
  const evaluate = compiler.compile(node);
  return (run) => {
    const value = evaluate(run);
    return value === undefined ? undefined : toText(run, value);
  };
}

/** A method that is selected by the type of its receiver. */
type Apply = (run: Run, target: Value, args: readonly Value[]) => Value;

function plainOf<Self>(table: MethodTable<Self>, name: string): PlainMethod<Self>['apply'] | undefined {
  const method = table.get(name);
  return method?.kind === 'plain' ? method.apply : undefined;
}

/** Returns the method `name` for every type that has it; undefined if no type has it. */
function resolvePlain(name: string): Apply | undefined {
  const ofText = plainOf(methods.string, name);
  const ofNumber = plainOf(methods.number, name);
  const ofBoolean = plainOf(methods.boolean, name);
  const ofList = plainOf(methods.array, name);
  const ofRecord = plainOf(methods.object, name);
  const ofDate = plainOf(methods.date, name);
  const exists = [ofText, ofNumber, ofBoolean, ofList, ofRecord, ofDate].some((apply) => apply !== undefined);
  if (!exists) return undefined;
  return (run, target, args) => {
    if (typeof target === 'string' && ofText) return ofText(run, target, args);
    if (typeof target === 'number' && ofNumber) return ofNumber(run, target, args);
    if (typeof target === 'boolean' && ofBoolean) return ofBoolean(run, target, args);
    if (typeof target !== 'object' || target === null) return failMissing(target, name);
    if (isList(target)) return ofList ? ofList(run, target, args) : failMissing(target, name);
    if (target instanceof Date) return ofDate ? ofDate(run, target, args) : failMissing(target, name);
    return ofRecord ? ofRecord(run, target, args) : failMissing(target, name);
  };
}

function failMissing(target: Value, name: string): never {
  const hint = typeof target === 'string' && methods.date.has(name) ? '; date(...) makes a date of it' : '';
  return fail(`${kindOf(target)} has no method "${name}"${hint}`);
}
