import type { Expression, MemberExpression, Super } from 'acorn';
import { fail } from '../error.ts';
import { namespaces } from '../functions/catalogue.ts';
import { constants } from '../functions/math.ts';
import { NO_LINKS } from '../links.ts';
import { spendSteps } from '../run.ts';
import { type Compiler, type Evaluate, refuse, staticKey } from './compiler.ts';
import { namesWithMembers } from './names.ts';

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
export function compileScopeMember(compiler: Compiler, node: MemberExpression): Evaluate | undefined {
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
