import type { Expression } from 'acorn';
import { syntaxDepthMax } from '../limits.ts';
import { type ExpressionReferences, referencesOf } from '../scope.ts';
import { compileCall } from './call.ts';
import { type Compiler, type Evaluate, refuse } from './compiler.ts';
import { compileArray, compileLiteral, compileObject, compileTemplateLiteral } from './literals.ts';
import { compileChain, compileMember, compileName } from './members.ts';
import { compileBinary, compileConditional, compileLogical, compileUnary } from '../operators.ts';

/** A compiled expression, without limits and error handling. */
export interface CompiledSource {
  readonly evaluate: Evaluate;
  /** The steps of one evaluation, without those of arrow functions in it. */
  readonly cost: number;
  readonly references: ExpressionReferences;
}

/**
 * Compiles a parsed expression to closures. Syntax that `dispatch` does not list is not supported. `source` is the text
 * that the positions of `expression` refer to. @throws SourceError
 */
export function compileSyntax(source: string, expression: Expression): CompiledSource {
  const compiler: Compiler = {
    source,
    compile: (node) => compileNode(compiler, node),
    locals: new Map(),
    slot: 0,
    cost: 0,
    depth: 0,
    nodes: new Set(),
    links: new Set(),
    formats: new Set(),
    names: new Set(),
  };
  const evaluate = compiler.compile(expression);
  return { evaluate, cost: compiler.cost, references: referencesOf(compiler) };
}

function compileNode(compiler: Compiler, node: Expression): Evaluate {
  if (compiler.depth >= syntaxDepthMax) return refuse(node, 'the expression nests too deeply');
  compiler.cost += 1;
  compiler.depth += 1;
  const evaluate = dispatch(compiler, node);
  compiler.depth -= 1;
  return evaluate;
}

const refusals: ReadonlyMap<string, string> = new Map([
  ['ArrowFunctionExpression', 'an arrow function can only be the argument of an array method such as map'],
  ['FunctionExpression', 'functions are not part of the language; array methods take arrow functions: x => x.name'],
  ['AssignmentExpression', 'nothing can be assigned; use == or === to compare'],
  ['UpdateExpression', 'nothing can be changed: ++ and -- are not part of the language'],
  ['SequenceExpression', 'one expression is expected, without a comma'],
  ['NewExpression', '"new" is not part of the language; date(...) makes a date'],
  ['ThisExpression', '"this" is not part of the language'],
  ['ImportExpression', '"import" is not part of the language'],
  ['AwaitExpression', '"await" is not part of the language'],
  ['TaggedTemplateExpression', 'a template cannot be tagged'],
  ['ClassExpression', '"class" is not part of the language'],
]);

function dispatch(compiler: Compiler, node: Expression): Evaluate {
  switch (node.type) {
    case 'Literal':
      return compileLiteral(node);
    case 'TemplateLiteral':
      return compileTemplateLiteral(compiler, node);
    case 'Identifier':
      return compileName(compiler, node);
    case 'MemberExpression':
      return compileMember(compiler, node);
    case 'ChainExpression':
      return compileChain(compiler, node);
    case 'CallExpression':
      return compileCall(compiler, node);
    case 'UnaryExpression':
      return compileUnary(compiler, node);
    case 'BinaryExpression':
      return compileBinary(compiler, node);
    case 'LogicalExpression':
      return compileLogical(compiler, node);
    case 'ConditionalExpression':
      return compileConditional(compiler, node);
    case 'ArrayExpression':
      return compileArray(compiler, node);
    case 'ParenthesizedExpression':
      return compiler.compile(node.expression);
    case 'ObjectExpression':
      return compileObject(compiler, node);
    default:
      return refuse(node, refusals.get(node.type) ?? 'this is not part of the language');
  }
}
