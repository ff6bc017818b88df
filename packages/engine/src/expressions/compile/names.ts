import type { Identifier } from 'acorn';
import { globalFunctions, namespaces } from '../functions/catalogue.ts';
import { refuse, type Compiler, type Evaluate } from './compiler.ts';
import type { ExpressionName } from '../scope.ts';

/** Names that have a value of their own. */
const values: ReadonlyMap<string, readonly [ExpressionName, Evaluate]> = new Map<string, [ExpressionName, Evaluate]>([
  ['$trigger', ['$trigger', (run) => run.scope.trigger]],
  ['$input', ['$input', (run) => run.scope.input]],
  ['$response', ['$response', (run) => run.scope.response]],
  ['$vars', ['$vars', (run) => run.scope.vars]],
  ['$now', ['$now', (run) => (run.now ??= run.scope.now())]],
]);

const words: ReadonlyMap<string, Evaluate> = new Map<string, Evaluate>([
  ['undefined', () => undefined],
  ['NaN', () => NaN],
  ['Infinity', () => Infinity],
]);

/** Names that must be followed by a dot, and the members that may follow. */
export const namesWithMembers: ReadonlyMap<string, string> = new Map([
  ['$nodes', '$nodes.<id>.output'],
  ['$links', '$links.<id>'],
  ['$loop', '$loop.item, $loop.index and $loop.previous'],
  ['$execution', '$execution.id and $execution.mode'],
]);

/** Compiles a name: an arrow parameter, a name of the scope, or a word such as `undefined`. Other names are issues. */
export function compileName(compiler: Compiler, node: Identifier): Evaluate {
  const { name } = node;
  const slot = compiler.locals.get(name);
  if (slot !== undefined) return (run) => run.locals[slot];
  const value = values.get(name);
  if (value !== undefined) {
    compiler.names.add(value[0]);
    return value[1];
  }
  return words.get(name) ?? refuse(node, explainUnknown(name));
}

function explainUnknown(name: string): string {
  const members = namesWithMembers.get(name);
  if (members !== undefined) return `"${name}" cannot stand alone; there is ${members}`;
  if (globalFunctions.has(name) || namespaces.has(name))
    return `"${name}" is a function or a group of functions, not a value`;
  const meant = `$${name}`;
  const isKnown = values.has(meant) || namesWithMembers.has(meant);
  return `the name "${name}" is not known${isKnown ? `; did you mean "${meant}"?` : ''}`;
}

/** Returns whether an arrow parameter of this name would hide a name of the language. */
export function isReservedName(name: string): boolean {
  return name.startsWith('$') || words.has(name) || globalFunctions.has(name) || namespaces.has(name);
}
