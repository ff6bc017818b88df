import { FUNCTIONS, isMap, isTrue, print } from './functions.ts';
import { type Command, type Operand, type Part, type Pipeline, TemplateError } from './syntax.ts';

/** Templates that others include, by name. */
export type Templates = ReadonlyMap<string, readonly Part[]>;

interface Scope {
  readonly dot: unknown;
  readonly variables: Map<string, unknown>;
  readonly templates: Templates;
}

/** Evaluates a template with `data` as its dot. @throws TemplateError */
export function evaluateTemplate(parts: readonly Part[], data: unknown, templates: Templates): string {
  return evaluateParts(parts, { dot: data, variables: new Map([['$', data]]), templates });
}

/** The templates that parts define. */
export function definitionsOf(parts: readonly Part[]): [string, readonly Part[]][] {
  return parts.flatMap((part) => (part.kind === 'define' ? [[part.name, part.body]] : []));
}

function evaluateParts(parts: readonly Part[], outer: Scope): string {
  // An assignment in a branch is visible in that branch only.
  const scope = { ...outer, variables: new Map(outer.variables) };
  return parts.map((part) => evaluatePart(part, scope)).join('');
}

function evaluatePart(part: Part, scope: Scope): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'define':
      return '';
    case 'print':
      return print(evaluatePipeline(part.pipeline, scope));
    case 'assign':
      scope.variables.set(part.name, evaluatePipeline(part.pipeline, scope));
      return '';
    case 'if':
      return evaluateParts(isTrue(evaluatePipeline(part.pipeline, scope)) ? part.body : part.otherwise, scope);
    case 'with': {
      const value = evaluatePipeline(part.pipeline, scope);
      return isTrue(value) ? evaluateParts(part.body, { ...scope, dot: value }) : evaluateParts(part.otherwise, scope);
    }
    case 'range': {
      const entries = entriesOf(evaluatePipeline(part.pipeline, scope));
      if (entries.length === 0) return evaluateParts(part.otherwise, scope);
      return entries.map((entry) => evaluateParts(part.body, withEntry(scope, part.names, entry))).join('');
    }
  }
}

/** Maps are walked in the order of their keys. */
function entriesOf(value: unknown): [unknown, unknown][] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [BigInt(index), item]);
  if (isMap(value)) return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  if (value === undefined || value === null) return [];
  throw new TemplateError(`range: neither list nor map: ${print(value)}`);
}

function withEntry(scope: Scope, names: readonly string[], [key, value]: [unknown, unknown]): Scope {
  const variables = new Map(scope.variables);
  const [first, second] = names;
  if (second !== undefined) variables.set(first ?? '', key).set(second, value);
  else if (first !== undefined) variables.set(first, value);
  return { ...scope, dot: value, variables };
}

function evaluatePipeline(pipeline: Pipeline, scope: Scope): unknown {
  const [first, ...others] = pipeline;
  if (first === undefined) throw new TemplateError('an action says nothing');
  return others.reduce((value, command) => evaluateCommand(command, scope, [value]), evaluateCommand(first, scope, []));
}

function evaluateCommand([head, ...rest]: Command, scope: Scope, piped: readonly unknown[]): unknown {
  if (head === undefined) throw new TemplateError('an action says nothing');
  const args = [...rest.map((operand) => evaluateOperand(operand, scope)), ...piped];
  if (head.kind === 'function') return call(head.name, args, scope);
  if (args.length > 0) throw new TemplateError(`${JSON.stringify(rest)} has no function before it`);
  return evaluateOperand(head, scope);
}

function call(name: string, args: readonly unknown[], { templates }: Scope): unknown {
  if (name === 'include') {
    const template = templates.get(print(args[0]));
    if (template === undefined) throw new TemplateError(`there is no template ${print(args[0])}`);
    return evaluateTemplate(template, args[1], templates);
  }
  const callee = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (callee === undefined) throw new TemplateError(`the function ${name} is not known here`);
  return callee(...args);
}

function evaluateOperand(operand: Operand, scope: Scope): unknown {
  switch (operand.kind) {
    case 'literal':
      return operand.value;
    case 'function':
      return call(operand.name, [], scope);
    case 'dot':
      return read(scope.dot, operand.path);
    case 'group':
      return read(evaluatePipeline(operand.pipeline, scope), operand.path);
    case 'variable':
      if (!scope.variables.has(operand.name)) throw new TemplateError(`${operand.name} is not declared`);
      return read(scope.variables.get(operand.name), operand.path);
  }
}

/** A missing member is not an error; a member of a missing value is. */
function read(value: unknown, path: readonly string[]): unknown {
  let member = value;
  for (const name of path) {
    if (!isMap(member)) throw new TemplateError(`.${path.join('.')}: there is nothing to read .${name} of`);
    member = Object.hasOwn(member, name) ? member[name] : undefined;
  }
  return member;
}
