import type { CallExpression } from 'acorn';
import { textArgument } from '../functions/arguments.ts';
import { globalFunctions, namespaces } from '../functions/catalogue.ts';
import { patternTest } from '../functions/pattern-methods.ts';
import { type Compiler, compileRegExp, type Evaluate, refuse } from './compiler.ts';
import { compileElements } from './literals.ts';
import { explainNameOfN8n } from './members.ts';
import { compileMethodCall } from './method-call.ts';

/** Compiles a call: of a function of the language, of a method, or of `test` of a regular expression. */
export function compileCall(compiler: Compiler, node: CallExpression): Evaluate {
  const { callee } = node;
  if (node.optional) return refuse(node, '"?.(" is not part of the language; write value?.method()');
  if (callee.type === 'Identifier') return compileFunctionCall(compiler, node, callee.name);
  if (callee.type !== 'MemberExpression')
    return refuse(callee, 'only functions and methods of the language can be called');
  if (callee.computed || callee.property.type !== 'Identifier') {
    return refuse(callee.property, 'a method is called by its name: value.method()');
  }
  const { object } = callee;
  if (object.type === 'Identifier' && namespaces.has(object.name) && !compiler.locals.has(object.name)) {
    return compileFunctionCall(compiler, node, `${object.name}.${callee.property.name}`);
  }
  if (object.type === 'Literal' && object.regex) return compileTest(compiler, node, object.regex, callee.property.name);
  return compileMethodCall(compiler, node, callee, callee.property);
}

function compileFunctionCall(compiler: Compiler, node: CallExpression, name: string): Evaluate {
  const definition = compiler.locals.has(name) ? undefined : globalFunctions.get(name);
  if (definition === undefined) {
    const instead = explainNameOfN8n(name);
    const hint = instead === undefined ? '' : `, which is that of n8n; here, ${instead}`;
    return refuse(node.callee, `there is no function "${name}"${hint}`);
  }
  const args = compileElements(compiler, node.arguments, node);
  const { apply } = definition;
  return (run) => {
    const values = args(run);
    run.at = node.start;
    return apply(run, values);
  };
}

function compileTest(
  compiler: Compiler,
  node: CallExpression,
  regex: { readonly pattern: string; readonly flags: string },
  method: string,
): Evaluate {
  if (method !== 'test') return refuse(node, `a regular expression has the method "test" only, not "${method}"`);
  const pattern = compileRegExp(node.callee, regex);
  const args = compileElements(compiler, node.arguments, node);
  return (run) => {
    const text = textArgument(run, args(run), 0);
    run.at = node.start;
    return patternTest.apply(run, pattern, text);
  };
}
