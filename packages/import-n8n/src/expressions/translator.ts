import type { Expression, Property, SpreadElement } from 'acorn';
import { asList, filesOfStub, firstItem, positionIn, type Source } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { callData } from './data-calls.ts';
import { callDate, createDate, type DateContext } from './date-calls.ts';
import { unitOf } from './dates.ts';
import { data, date, type Files, memberOfFile, type Part, textOf } from './parts.ts';
import type { Scope } from './scope.ts';
import { isKind, literalText, nameOf } from './syntax.ts';

/** Functions and objects that our expressions have, too. */
const GLOBALS = new Set([
  ...['Math', 'Object', 'JSON', 'Number', 'String', 'Boolean', 'Array', 'parseInt', 'parseFloat', 'isNaN', 'isFinite'],
  ...['encodeURIComponent', 'decodeURIComponent', 'encodeURI', 'decodeURI', 'undefined', 'NaN', 'Infinity'],
]);

/** Properties of dates, which are methods here. */
const DATE_PARTS = new Set(['year', 'month', 'day', 'weekday', 'hour', 'minute', 'second']);

/** The names that n8n knows the function by with which a model fills in the parameters of a tool. */
const FROM_MODEL = new Set(['$fromAI', '$fromAi', '$fromai']);

/** Maximum length of a translated part, in characters: some methods repeat what they are called on. */
const MAX_TRANSLATED = 10_000;
/** Maximum nesting of an expression, which the translation follows by recursion. */
const MAX_DEPTH = 200;

/** Translates the parts of one expression. */
export class Translator {
  readonly #scope: Scope;
  /** Parameters of the functions around a part, and what they are called here. */
  #locals: ReadonlyMap<string, string> = new Map();
  #depth = 0;

  readonly #dates: DateContext;

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#dates = {
      scope,
      argument: (node) => this.#argument(node),
      textOf: (node) => this.#text(node),
    };
  }

  part(node: Expression): Part {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) return unsupported(`an expression that is nested deeper than ${MAX_DEPTH} levels`);
    const part = this.#part(node);
    this.#depth -= 1;
    if ('text' in part && part.text.length > MAX_TRANSLATED) return unsupported('an expression becomes too long here');
    return part;
  }

  #part(node: Expression): Part {
    switch (node.type) {
      case 'Identifier':
        return this.#identifier(node.name);
      case 'Literal':
        return data(node.regex ? `/${node.regex.pattern}/${node.regex.flags}` : (node.raw ?? 'null'));
      case 'TemplateLiteral':
        return data(
          this.#template(
            node.quasis.map(({ value }) => value.raw),
            node.expressions,
          ),
        );
      case 'ParenthesizedExpression':
        return this.part(node.expression);
      case 'ChainExpression':
        return this.part(node.expression);
      case 'MemberExpression':
        return this.#member(node);
      case 'CallExpression':
        return this.#call(node);
      case 'NewExpression':
        return this.#create(node);
      case 'UnaryExpression':
        if (node.operator === 'void' || node.operator === 'delete') return unsupported(`"${node.operator}"`);
        return data(`(${node.operator}${/[a-z]/.test(node.operator) ? ' ' : ''}${this.#text(node.argument)})`);
      case 'BinaryExpression': {
        if (node.left.type === 'PrivateIdentifier') return unsupported('private names');
        if (node.operator === 'instanceof') return unsupported('"instanceof"');
        return data(`(${this.#text(node.left)} ${node.operator} ${this.#text(node.right)})`);
      }
      case 'LogicalExpression':
        return data(`(${this.#text(node.left)} ${node.operator} ${this.#text(node.right)})`);
      case 'ConditionalExpression':
        return data(`(${this.#text(node.test)} ? ${this.#text(node.consequent)} : ${this.#text(node.alternate)})`);
      case 'ArrayExpression':
        return data(`[${node.elements.map((each) => (each ? this.#argument(each) : 'undefined')).join(', ')}]`);
      case 'ObjectExpression':
        return data(`{ ${node.properties.map((each) => this.#property(each)).join(', ')} }`);
      case 'ArrowFunctionExpression':
        return this.#arrow(node);
      default:
        return unsupported(`expressions have no ${node.type} here`);
    }
  }

  #text(node: Expression): string {
    return textOf(this.part(node));
  }

  #argument(node: Expression | SpreadElement): string {
    return node.type === 'SpreadElement' ? `...${this.#text(node.argument)}` : this.#text(node);
  }

  #identifier(name: string): Part {
    const local = this.#locals.get(name);
    if (local !== undefined) return data(local);
    if (GLOBALS.has(name)) return data(name);
    const { item, index, input } = this.#scope;
    switch (name) {
      case '$json':
        return data(item);
      case '$input':
        return { kind: 'source', source: input };
      case '$node':
        return { kind: 'nodes', text: name };
      case '$now':
        this.#scope.review('$now is in UTC here');
        return date('date($now)');
      case '$today':
        this.#scope.review('days begin at midnight of UTC here');
        return date("date($now).startOf('day')");
      case '$binary':
        return this.#files(input, '"$binary" has no equivalent');
      case '$itemIndex':
        return data(index);
      case '$vars':
        return data('$vars');
      case 'DateTime':
        return { kind: 'DateTime', text: name };
      default:
        return unsupported(`"${name}" has no equivalent`);
    }
  }

  /** Returns the files of an item. @param problem why there are none that are known. */
  #files({ files, filesOf }: Files & { readonly shape?: Source['shape'] }, problem: string): Part {
    if (files === undefined) return unsupported(problem);
    if (filesOf !== undefined) this.#scope.review(filesOfStub(filesOf));
    return { kind: 'files', text: files };
  }

  #template(texts: readonly string[], expressions: readonly Expression[]): string {
    const parts = texts.map((each, index) => {
      const expression = expressions[index];
      return expression ? `${each}\${${this.#text(expression)}}` : each;
    });
    return `\`${parts.join('')}\``;
  }

  #property(property: Property | SpreadElement): string {
    if (property.type === 'SpreadElement') return `...${this.#text(property.argument)}`;
    if (property.kind !== 'init' || property.method) return unsupported('objects have no methods here');
    const { key, computed, value } = property;
    if (computed) return `[${this.#text(key)}]: ${this.#text(value)}`;
    const name = key.type === 'Identifier' ? JSON.stringify(key.name) : this.#text(key);
    return `${name}: ${this.#text(value)}`;
  }

  #arrow(node: Extract<Expression, { type: 'ArrowFunctionExpression' }>): Part {
    const { body } = node;
    if (body.type === 'BlockStatement' || node.async) return unsupported('functions have a single expression here');
    const names = node.params.map((each) =>
      each.type === 'Identifier' ? each.name : unsupported('parameters of functions are plain names here'),
    );
    const outer = this.#locals;
    const locals = new Map(outer);
    for (const name of names) locals.set(name, freeName(name, locals));
    this.#locals = locals;
    const text = this.#text(body);
    this.#locals = outer;
    const ours = names.map((name) => locals.get(name));
    return data(`((${ours.join(', ')}) => ${body.type === 'ObjectExpression' ? `(${text})` : text})`);
  }

  #member(node: Extract<Expression, { type: 'MemberExpression' }>): Part {
    if (node.object.type === 'Super' || node.property.type === 'PrivateIdentifier') return unsupported('"super"');
    const constant = this.#global(node.object, node.property, node.computed);
    if (constant) return constant;
    const of = this.part(node.object);
    const name = node.computed ? literalText(node.property) : nameOf(node.property);
    switch (of.kind) {
      case 'source':
        if (name === 'item') return this.#currentItem(of);
        if (name === 'isExecuted') {
          return data(of.source.hasRun ?? 'true');
        }
        return unsupported(`"${name ?? ''}" of a node has no equivalent`);
      case 'nodes':
        if (name === undefined) return unsupported('nodes are named by literal texts');
        return this.#currentItem({ source: this.#scope.nodeNamed(name), name });
      case 'item':
        if (name === 'binary') return this.#files(of.files ?? {}, '"binary" of an item has no equivalent');
        return name === 'json' ? data(of.text) : unsupported(`"${name ?? ''}" of an item has no equivalent`);
      case 'files':
        this.#scope.review('of a file, fileName and mimeType alone are known here');
        return {
          kind: 'file',
          text: `${of.text}?.[${name === undefined ? this.#text(node.property) : JSON.stringify(name)}]`,
        };
      case 'file':
        return data(memberOfFile(of.text, name));
      case 'duration':
        if (name !== undefined && unitOf(name) === of.unit) return data(of.text);
        return unsupported('durations have the unit that they were computed in');
      case 'date':
        if (name !== undefined && DATE_PARTS.has(name)) return data(`${of.text}.${name}()`);
        return unsupported(`dates have no "${name ?? ''}" here`);
      case 'DateTime':
        return unsupported(`DateTime.${name ?? ''} has no equivalent`);
      case 'data':
        // An expression of n8n that reads a property of nothing is null, and fails here without "?.".
        if (!node.computed) return data(`${of.text}?.${nameOf(node.property) ?? ''}`);
        return data(`${of.text}?.[${this.#text(node.property)}]`);
    }
  }

  /** Names that are two words. */
  #global(object: Expression, property: Expression, computed: boolean): Part | undefined {
    if (object.type !== 'Identifier' || computed || this.#locals.has(object.name)) return undefined;
    const name = nameOf(property) ?? '';
    if (GLOBALS.has(object.name)) return data(`${object.name}.${name}`);
    if (object.name === '$execution' && name === 'id') return data('$execution.id');
    if (object.name === '$workflow' && name === 'name') return data(JSON.stringify(this.#scope.workflowName));
    return undefined;
  }

  #currentItem({ source, name }: { source: Source; name?: string }): Part {
    const files = source.shape === 'one' ? { files: source } : {};
    if (name === undefined) return { kind: 'item', text: this.#scope.item, ...files };
    if (source.shape === 'one') return { kind: 'item', text: source.text, ...files };
    const { paired, index } = this.#scope;
    const position = positionIn(paired, name, index);
    if (position) {
      if (position.assumed !== undefined) this.#scope.review(position.assumed);
      return { kind: 'item', text: `${source.text}[${position.text}]` };
    }
    return unsupported('the item of another node that belongs to the current one: n8n finds it by how items were made');
  }

  #call(node: Extract<Expression, { type: 'CallExpression' }>): Part {
    const { callee } = node;
    if (callee.type === 'Super') return unsupported('"super"');
    if (callee.type === 'Identifier' && this.#locals.has(callee.name)) return unsupported('calls of parameters');
    if (callee.type === 'Identifier') return this.#callName(callee.name, node.arguments);
    if (callee.type !== 'MemberExpression' || callee.object.type === 'Super') return unsupported('calls of functions');
    const method =
      callee.computed || callee.property.type === 'PrivateIdentifier' ? undefined : nameOf(callee.property);
    if (method === undefined) return unsupported('calls of methods whose names are computed');
    if (callee.object.type === 'Identifier' && !this.#locals.has(callee.object.name)) {
      const { name } = callee.object;
      if (name === 'JSON' && method === 'parse') {
        this.#scope.review('JSON.parse() fails here for text that is not JSON; in n8n, the expression has no value');
      }
      if (GLOBALS.has(name)) return data(`${name}.${method}(${this.#arguments(node.arguments)})`);
      if (name === 'Date' && method === 'now') return data('date($now).getTime()');
    }
    const of = this.part(callee.object);
    switch (of.kind) {
      case 'source':
        return this.#callSource(of, method, node.arguments);
      case 'date':
        return callDate(of.text, { method, given: node.arguments }, this.#dates);
      case 'DateTime':
        return createDate(method, node.arguments, this.#dates);
      case 'duration':
        if (method === 'as' && unitOf(literalText(node.arguments[0]) ?? '') === of.unit) return data(of.text);
        return unsupported(`durations have no ${method}() here`);
      case 'data':
        return callData(of.text, method, () => this.#arguments(node.arguments), this.#scope.review);
      default:
        return unsupported(`${method}() has no equivalent`);
    }
  }

  #arguments(nodes: readonly (Expression | SpreadElement)[]): string {
    return nodes.map((each) => this.#argument(each)).join(', ');
  }

  #callName(name: string, given: readonly (Expression | SpreadElement)[]): Part {
    if (name === '$') {
      const named = literalText(given[0]);
      if (named === undefined) return unsupported('nodes are named by literal texts');
      return { kind: 'source', source: this.#scope.nodeNamed(named), name: named };
    }
    const [first, second, third] = given.map((each) => this.#argument(each));
    if (name === '$if' && given.length === 3) return data(`(${first ?? ''} ? ${second ?? ''} : ${third ?? ''})`);
    if (name === '$max' || name === '$min') return data(`Math.${name.slice(1)}(${this.#arguments(given)})`);
    if (GLOBALS.has(name)) return data(`${name}(${this.#arguments(given)})`);
    if (FROM_MODEL.has(name)) return this.#fromModel(given);
    return unsupported(`${name}() has no equivalent`);
  }

  /** An argument of the call of a tool, or what stands for one that the model left out. */
  #fromModel([first, , , byDefault]: readonly (Expression | SpreadElement)[]): Part {
    const name = literalText(first) ?? (isKind(first, 'TemplateLiteral') ? first.quasis[0]?.value.cooked : undefined);
    const { argumentNamed } = this.#scope;
    if (!argumentNamed || name === undefined || name === null) return unsupported('$fromAI() outside of a tool');
    const value = argumentNamed(name);
    return data(byDefault ? `(${value} ?? ${this.#argument(byDefault)})` : value);
  }

  #callSource({ source, name }: { source: Source; name?: string }, method: string, given: readonly unknown[]): Part {
    if (given.length > 0) return unsupported(`arguments of ${method}() choose outputs and runs, which differ here`);
    if (method === 'first') {
      return { kind: 'item', text: firstItem(source), ...(source.shape === 'one' && { files: source }) };
    }
    if (method === 'last') {
      return { kind: 'item', text: source.shape === 'one' ? source.text : `${source.text}.at(-1)` };
    }
    if (method === 'all') return data(`${asList(source)}.map((json) => ({ json: json }))`);
    if (method === 'item') return this.#currentItem({ source, ...(name !== undefined && { name }) });
    return unsupported(`${method}() of a node has no equivalent`);
  }

  #create(node: Extract<Expression, { type: 'NewExpression' }>): Part {
    const [first, ...rest] = node.arguments;
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'Date' || rest.length > 0) {
      return unsupported('"new" creates nothing here');
    }
    return first ? date(`date(${this.#argument(first)})`) : date('date($now)');
  }
}

/** Names that the text around a part uses: a parameter of the same name would hide them. */
const OWN_NAMES = new Set([...GLOBALS, 'item', 'index', 'date']);

/** Returns what a parameter is called here, beside those of other names. */
function freeName(name: string, locals: ReadonlyMap<string, string>): string {
  const taken = new Set([...locals].flatMap(([other, ours]) => (other === name ? [] : [ours])));
  let free = name.replace(/^\$+/, '_');
  while (OWN_NAMES.has(free) || taken.has(free)) free += '_';
  return free;
}
