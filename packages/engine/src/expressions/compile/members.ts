import type { ChainExpression, MemberExpression, Identifier, Expression, Super } from 'acorn';
import { fail } from '../error.ts';
import { readComputed } from '../operators.ts';
import { readProperty } from '../value.ts';
import { type Compiler, type Evaluate, excerptOf, refuse, skipped, staticKey } from './compiler.ts';
import { globalFunctions, namespaces } from '../functions/catalogue.ts';
import type { ExpressionName } from '../scope.ts';
import { constants } from '../functions/math.ts';
import { NO_LINKS } from '../links.ts';
import { spendSteps } from '../run.ts';

/** Ends the evaluation because a property of null or undefined was read, with JavaScript's message. */
export function failRead(missing: null | undefined, key: string, object: string): never {
  return fail(`cannot read "${key}" of ${String(missing)}: ${object} has no value ("?." allows for that)`);
}

/** Compiles `object.key`, `object[key]` and their forms with `?.`. */
export function compileMember(compiler: Compiler, node: MemberExpression): Evaluate {
  const ofScope = compileScopeMember(compiler, node);
  if (ofScope !== undefined) return ofScope;
  if (node.object.type === 'Super') return refuse(node, '"super" is not part of the language');
  const key = staticKey(node);
  const object = compiler.compile(node.object);
  const objectText = excerptOf(compiler, node.object);
  return key === undefined
    ? computedRead(compiler, node, object, objectText)
    : staticRead(node, object, key, objectText);
}

function staticRead(node: MemberExpression, object: Evaluate, key: string, objectText: string): Evaluate {
  const { optional } = node;
  const at = node.property.start;
  return (run) => {
    const target = object(run);
    if (target === null || target === undefined) {
      if (optional) return skipped;
      run.at = at;
      return failRead(target, key, objectText);
    }
    return target === skipped ? skipped : readProperty(target, key);
  };
}

function computedRead(compiler: Compiler, node: MemberExpression, object: Evaluate, objectText: string): Evaluate {
  if (node.property.type === 'PrivateIdentifier')
    return refuse(node.property, 'private names are not part of the language');
  const key = compiler.compile(node.property);
  const { optional } = node;
  const at = node.property.start;
  return (run) => {
    const target = object(run);
    if (target === skipped) return skipped;
    if (target === null || target === undefined) {
      if (optional) return skipped;
      run.at = at;
      return failRead(target, '[...]', objectText);
    }
    const value = key(run);
    run.at = at;
    return readComputed(run, target, value);
  };
}

/** Compiles a whole chain with `?.`. A chain that ended early is undefined. */
export function compileChain(compiler: Compiler, node: ChainExpression): Evaluate {
  const chain = compiler.compile(node.expression);
  return (run) => {
    const value = chain(run);
    return value === skipped ? undefined : value;
  };
}

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
const namesWithMembers: ReadonlyMap<string, string> = new Map([
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
  const instead = explainNameOfN8n(name);
  if (instead !== undefined) return `the name "${name}" is that of n8n; here, ${instead}`;
  const members = namesWithMembers.get(name);
  if (members !== undefined) return `"${name}" cannot stand alone; there is ${members}`;
  if (globalFunctions.has(name) || namespaces.has(name))
    return `"${name}" is a function or a group of functions, not a value`;
  const meant = `$${name}`;
  const isKnown = values.has(meant) || namesWithMembers.has(meant);
  return `the name "${name}" is not known${isKnown ? `; did you mean "${meant}"?` : ''}`;
}

/** Names that expressions of n8n have, and what there is here. */
const NAMES_OF_N8N: ReadonlyMap<string, string> = new Map([
  ['$', 'the output of a node is $nodes.<id>.output'],
  ['$json', 'the output of the node before is $input'],
  ['$binary', 'the output of the node before is $input'],
  ['$node', 'the output of a node is $nodes.<id>.output'],
  ['$items', 'the output of a node is $nodes.<id>.output'],
  ['$item', 'the item of a loop is $loop.item'],
  ['$itemIndex', 'the number of the iteration of a loop is $loop.index'],
  ['$runIndex', 'the number of the iteration of a loop is $loop.index'],
  ['$env', 'variables of the workspace are $vars.<name>'],
  ['$today', 'today is date($now).startOf("day")'],
  ['DateTime', 'date(...) makes a date'],
]);

/** Says what there is here in place of a name that n8n has; undefined for other names. */
export function explainNameOfN8n(name: string): string | undefined {
  return NAMES_OF_N8N.get(name);
}

/** Returns whether an arrow parameter of this name would hide a name of the language. */
export function isReservedName(name: string): boolean {
  return name.startsWith('$') || words.has(name) || globalFunctions.has(name) || namespaces.has(name);
}

/** The members of names that must be followed by a dot. */
const members: ReadonlyMap<string, Evaluate> = new Map<string, Evaluate>([
  ['$loop.item', (run) => run.scope.loop?.item],
  ['$loop.index', (run) => run.scope.loop?.index],
  ['$loop.previous', (run) => run.scope.loop?.previous],
  ['$execution.id', (run) => run.scope.execution.id],
  ['$execution.mode', (run) => run.scope.execution.mode],
]);

/** Steps of reading a link, which is signed each time. */
const LINK_STEPS = 20;

/**
 * Compiles a member of a name that has no value of its own: `$nodes.<id>.output`, `$loop.item`, `Math.PI`. Returns
 * undefined for other members. Node ids must be literal, so that the engine knows what an expression reads.
 */
function compileScopeMember(compiler: Compiler, node: MemberExpression): Evaluate | undefined {
  if (node.object.type === 'MemberExpression' && isName(compiler, node.object.object, '$nodes')) {
    return compileNodeOutput(compiler, node, node.object);
  }
  if (node.object.type !== 'Identifier' || compiler.locals.has(node.object.name)) return undefined;
  const { name } = node.object;
  if (name === '$nodes') return refuse(node, 'of a node there is its output: $nodes.<id>.output');
  if (name === '$links') return compileLink(compiler, node);
  const key = staticKey(node);
  if (name === '$loop' || name === '$execution') {
    const member = key === undefined ? undefined : members.get(`${name}.${key}`);
    compiler.names.add(name);
    if (name === '$loop' && key === 'previous') compiler.names.add('$loop.previous');
    return member ?? refuse(node.property, `there is ${namesWithMembers.get(name) ?? name} only`);
  }
  if (!namespaces.has(name)) return undefined;
  const constant = constants.get(`${name}.${key ?? ''}`);
  return constant === undefined ? refuse(node.property, `there is no value "${name}.${key ?? '...'}"`) : () => constant;
}

function isName(compiler: Compiler, node: Expression | Super, name: string): boolean {
  return node.type === 'Identifier' && node.name === name && !compiler.locals.has(name);
}

function compileNodeOutput(compiler: Compiler, node: MemberExpression, idNode: MemberExpression): Evaluate {
  const id = staticKey(idNode);
  if (id === undefined)
    return refuse(idNode.property, 'the id of a node cannot be computed; write $nodes.<id> or $nodes["<id>"]');
  if (staticKey(node) !== 'output') return refuse(node.property, 'of a node there is its output: $nodes.<id>.output');
  compiler.nodes.add(id);
  return (run) => run.scope.node(id);
}

function compileLink(compiler: Compiler, node: MemberExpression): Evaluate {
  const id = staticKey(node);
  if (id === undefined)
    return refuse(node.property, 'the id of a node cannot be computed; write $links.<id> or $links["<id>"]');
  compiler.links.add(id);
  compiler.names.add('$links');
  return (run) => {
    spendSteps(run, LINK_STEPS);
    return run.scope.link?.(id) ?? fail(NO_LINKS);
  };
}
