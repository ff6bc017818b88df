import type { NodeDefinition } from '@deckhand/contracts';
import { parseExpressionAt } from 'acorn';
import { full } from 'acorn-walk';
import { asList } from '../source.ts';
import { unsupported } from '../unsupported.ts';
import { type Given, LANGUAGE, LOCAL_TIME, namesOf, usesPosition } from './code.ts';
import { MAX_SOURCE } from '../expressions/translate.ts';
import { isKind, readScript, type Script } from './script.ts';

/** Names of scripts that expressions of n8n do not have. */
const NOT_IN_EXPRESSIONS = new Set([
  ...['arguments', 'atob', 'btoa', 'console', 'Function', 'globalThis', 'Promise', 'Proxy', 'Reflect', 'escape'],
  'unescape',
]);

/** What expressions have beside the language. */
const NAMES = new Set(['$input', '$json', '$itemIndex', '$', '$node', '$items', '$vars', '$execution', '$workflow']);

/** Members of these names, as in `$execution.id`. */
const MEMBERS = new Set([
  '$execution.id',
  '$workflow.name',
  '$input.all',
  '$input.first',
  '$input.last',
  '$input.item',
]);

/** Methods of JavaScript that n8n does not replace with one of its own. */
const METHODS = new Set(
  [Array, String, Number, Boolean, Date, RegExp, Map, Set, Intl.NumberFormat]
    .flatMap((type) => Object.getOwnPropertyNames(type.prototype))
    .filter(
      (name) => !['keys', 'values', 'entries', 'union', 'difference', 'intersection', 'constructor'].includes(name),
    ),
);

/** Objects of the language, whose functions are the same. */
const OBJECTS = new Set(['Math', 'Object', 'JSON', 'Number', 'String', 'Array', 'Date', 'BigInt', 'Map', 'Intl']);

/** Methods that change what they are called on. */
const CHANGING = /^(?:copyWithin|fill|pop|push|reverse|shift|unshift|sort|splice|set\w*|add|delete|clear)$/;

/** Expressions of a node that have no equivalent: a script before the node evaluates them, as n8n does. */
export class ScriptedExpressions {
  readonly #id: string;
  readonly #name: string;
  readonly #given: Given;
  readonly #sources: string[] = [];
  readonly #scripts: Script[] = [];
  #changes = false;

  constructor(id: string, name: string, given: Given) {
    this.#id = `${id}__values`;
    this.#name = name;
    this.#given = given;
  }

  /**
   * Adds an expression of n8n, which is JavaScript.
   * @param index the position of the item that it is about, as an expression.
   * @returns an expression for its value.
   * @throws UnsupportedError
   */
  add(source: string, index: string): string {
    if (source.length > MAX_SOURCE) unsupported(`an expression of more than ${MAX_SOURCE} characters`);
    let number = this.#sources.indexOf(source);
    if (number < 0) {
      const script = readScript(`return (${source}\n);`);
      this.#check(source, script);
      // What it names can be read here, too.
      namesOf(script, this.#given);
      number = this.#sources.push(source) - 1;
      this.#scripts.push(script);
    }
    const value = `$nodes.${this.#id}.output[${index}][${number}]`;
    return `(${value}.number === undefined ? ${value}.value : Number(${value}.number))`;
  }

  /** Returns the script; undefined if there are no such expressions. */
  node(): NodeDefinition | undefined {
    if (this.#sources.length === 0) return undefined;
    const all = <T>(of: (script: Script) => Iterable<T>): T[] => this.#scripts.flatMap((each) => [...of(each)]);
    const nodes = new Map<string, Set<string>>();
    for (const [name, read] of all((each) => each.nodes)) {
      nodes.set(name, new Set([...(nodes.get(name) ?? []), ...read]));
    }
    const names = new Set(all((each) => each.names));
    const source = [
      '// Evaluates the expressions below for each item.',
      'const toItems = (list) => list.map((json) => ({ json }));',
      `const all = toItems(${asList(this.#given.input)});`,
      `const copy = ${this.#changes ? COPY : '(value) => value'};`,
      SOURCE,
      ...namesOf({ names, nodes }, this.#given),
      'const evaluate = (expression) => {',
      '  try {',
      '    const value = expression();',
      "    return typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : { value };",
      '  } catch (error) {',
      '    if (error.message.endsWith("\' hasn\'t been executed")) throw error;',
      '    // As in n8n, an expression that fails has no value.',
      '    return {};',
      '  }',
      '};',
      'return all.map((item, $itemIndex) => {',
      ...(usesPosition(names) ? ['  position = $itemIndex;'] : []),
      '  const given = () => ({ $json: copy(item.json), $input: source(all, item) });',
      '  return [',
      ...this.#sources.map((each) => `    evaluate(() => (({ $json, $input }) => (${each}\n))(given())),`),
      '  ];',
      '});',
    ].join('\n');
    return { id: this.#id, type: 'code', name: `${this.#name}: values`, parameters: { source } };
  }

  /** @throws UnsupportedError for an expression that has something else here. */
  #check(source: string, { names, undeclared, members, reads, creates, listsMembers }: Script): void {
    const { review } = this.#given;
    for (const name of [...names, ...undeclared]) {
      const isKnown = NAMES.has(name) || (LANGUAGE.has(name) && !NOT_IN_EXPRESSIONS.has(name));
      if (!isKnown || undeclared.has(name)) unsupported(`"${name}" has no equivalent`);
    }
    for (const each of members) {
      const [name = ''] = each.split('.');
      if (['$execution', '$workflow', '$input'].includes(name) && !MEMBERS.has(each)) {
        unsupported(`"${each}" has no equivalent`);
      }
    }
    for (const each of ['binary', 'pairedItem', 'context', 'params']) {
      if (reads.has(each) || creates.has(each)) unsupported(`"${each}" has no equivalent`);
    }
    const expression = parseExpressionAt(source, 0, { ecmaVersion: 2024 });
    if (source.slice(expression.end).trim() !== '') unsupported('more than one expression');
    full(expression, (node) => {
      if (isKind(node, 'AssignmentExpression') || isKind(node, 'UpdateExpression')) this.#changes = true;
      if (isKind(node, 'AwaitExpression') || isKind(node, 'ThisExpression')) unsupported('"this" and "await"');
      if (isKind(node, 'NewExpression') && isKind(node.callee, 'Identifier') && node.callee.name === 'Date') {
        review('a date of JavaScript becomes text as ISO 8601 here');
      }
      if (!isKind(node, 'CallExpression') || !isKind(node.callee, 'MemberExpression')) return;
      const { object, property, computed } = node.callee;
      const method = property.type === 'Identifier' && !computed ? property.name : undefined;
      if (method === undefined) return unsupported('calls of methods whose names are computed');
      const isOfNode =
        (isKind(object, 'Identifier') && object.name === '$input') ||
        (isKind(object, 'CallExpression') && isKind(object.callee, 'Identifier') && object.callee.name === '$');
      const isOfLanguage = isKind(object, 'Identifier') && OBJECTS.has(object.name);
      if (CHANGING.test(method)) this.#changes = true;
      if (!isOfNode && !isOfLanguage && !METHODS.has(method)) unsupported(`${method}() has no equivalent`);
      if (LOCAL_TIME.test(method)) {
        review('it uses local time, which is UTC here, and the time zone of the instance in n8n');
      }
    });
    if (this.#changes && names.has('$node')) unsupported('an expression that may change data of "$node"');
    if (listsMembers) review('it goes through the members of objects: items have "json" alone here');
  }
}

/** JavaScript for copies of items, which expressions get that may change them. */
const COPY = '(value) => (value === undefined ? value : JSON.parse(JSON.stringify(value)))';

/** JavaScript for `$input` and nodes. */
const SOURCE =
  'const source = (list, item) => ({ all: () => copy(list), first: () => copy(list[0]), last: () => copy(list.at(-1)), item: copy(item) });';
