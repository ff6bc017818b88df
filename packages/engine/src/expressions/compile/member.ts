import type { ChainExpression, MemberExpression } from 'acorn';
import { fail } from '../error.ts';
import { readComputed } from '../operators.ts';
import { readProperty } from '../property.ts';
import { type Compiler, type Evaluate, excerptOf, refuse, skipped, staticKey } from './compiler.ts';
import { compileScopeMember } from './scope-members.ts';

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
