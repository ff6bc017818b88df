import type { ArrowFunctionExpression, Expression, SpreadElement } from 'acorn';
import type { Callback } from '../functions/definition.ts';
import { globalFunctions } from '../functions/catalogue.ts';
import { spendSteps } from '../run.ts';
import { refuse, type Compiler, type Evaluate } from './compiler.ts';
import { isReservedName } from './members.ts';

/** Maximum number of arguments that an arrow function gets. */
const parametersMax = 4;

/** Functions that may replace an arrow function: `list.filter(Boolean)`. They get the first value only. */
const conversionNames: ReadonlySet<string> = new Set(['Boolean', 'Number', 'String', 'date']);

/** Compiles the argument of an array method that has to be a function. */
export function compileCallback(compiler: Compiler, node: Expression | SpreadElement): Callback {
  if (node.type === 'ParenthesizedExpression') return compileCallback(compiler, node.expression);
  if (node.type === 'ArrowFunctionExpression') return compileArrow(compiler, node);
  if (node.type === 'Identifier' && conversionNames.has(node.name) && !compiler.locals.has(node.name)) {
    const conversion = globalFunctions.get(node.name);
    if (conversion !== undefined) {
      return (run, first) => {
        spendSteps(run, 1);
        return conversion.apply(run, [first]);
      };
    }
  }
  return refuse(node, 'an arrow function is expected here, such as x => x.name');
}

function compileArrow(compiler: Compiler, node: ArrowFunctionExpression): Callback {
  if (node.async) return refuse(node, '"async" is not part of the language');
  if (node.body.type === 'BlockStatement')
    return refuse(node.body, 'an arrow function is a single expression, without { }');
  const names = node.params.map((parameter) => {
    if (parameter.type !== 'Identifier') return refuse(parameter, 'a parameter of an arrow function is a plain name');
    if (isReservedName(parameter.name))
      return refuse(parameter, `the parameter "${parameter.name}" would hide the name`);
    return parameter.name;
  });
  if (names.length > parametersMax) return refuse(node, `an arrow function has at most ${parametersMax} parameters`);
  const outer = { locals: compiler.locals, slot: compiler.slot, cost: compiler.cost };
  compiler.locals = new Map([...outer.locals, ...names.map((name, index) => [name, outer.slot + index] as const)]);
  compiler.slot += names.length;
  compiler.cost = 1;
  const body = compiler.compile(node.body);
  const { cost } = compiler;
  compiler.locals = outer.locals;
  compiler.slot = outer.slot;
  compiler.cost = outer.cost;
  return makeCallback(body, outer.slot, names.length, cost);
}

/** Recursion is impossible, so each parameter has one slot for the whole run, and calls need no frames. */
function makeCallback(body: Evaluate, slot: number, count: number, cost: number): Callback {
  return (run, first, second, third, fourth) => {
    spendSteps(run, cost);
    if (count > 0) run.locals[slot] = first;
    if (count > 1) run.locals[slot + 1] = second;
    if (count > 2) run.locals[slot + 2] = third;
    if (count > 3) run.locals[slot + 3] = fourth;
    return body(run);
  };
}
