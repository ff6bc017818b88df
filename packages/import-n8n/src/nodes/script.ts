import {
  type Expression,
  type ForInStatement,
  type ForOfStatement,
  type Node,
  parse,
  type Pattern,
  type Program,
} from 'acorn';
import { ancestor } from 'acorn-walk';
import { unsupported } from '../unsupported.ts';

/** What a script refers to. Comments and texts do not count. */
export interface Script {
  /** Variables that it uses, but neither declares nor assigns. */
  readonly names: ReadonlySet<string>;
  /** Variables that it assigns without a declaration. */
  readonly undeclared: ReadonlySet<string>;
  /** The names of properties that it reads. */
  readonly reads: ReadonlySet<string>;
  /** The names of properties of objects that it creates. */
  readonly creates: ReadonlySet<string>;
  /** What it reads of variables, such as `$workflow.name`. */
  readonly members: ReadonlySet<string>;
  /** Other nodes that it names, and what it reads of each. */
  readonly nodes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether it uses errors that it catches, other than to throw them again. */
  readonly usesErrors: boolean;
  /** Whether it goes through the members of an object by their names. */
  readonly listsMembers: boolean;
  /** Whether it ends with one object, or a list of one, wherever it returns. */
  readonly returnsOne: boolean;
}

/** What a script reads of something that it passes on as a whole. */
const ANYTHING = '*';

/** Parses the script of a node. @throws UnsupportedError if it is not JavaScript, or cannot run here. */
export function readScript(source: string): Script {
  try {
    const text = `async function script() {${source}\n}`;
    return findReferences(parse(text, { ecmaVersion: 2024, sourceType: 'script' }));
  } catch (error) {
    if (error instanceof SyntaxError) return unsupported(`the script is not JavaScript: ${error.message}`);
    // The parser is recursive.
    if (error instanceof RangeError) return unsupported('the script nests too deeply');
    throw error;
  }
}

function findReferences(program: Program): Script {
  const used = new Set<string>();
  const declared = new Set<string>();
  const assigned = new Set<string>();
  const reads = new Set<string>();
  const creates = new Set<string>();
  const members = new Set<string>();
  const nodes = new Map<string, Set<string>>();
  const caught = new Set<string>();
  const kept = new Set<string>();
  /** What gets an error without a name for it: patterns, and functions from elsewhere. */
  const unnamed: Node[] = [];
  let listsMembers = false;
  const returned: (Expression | null | undefined)[] = [];
  const declare = (...patterns: readonly Pattern[]): void => {
    for (const name of patterns.flatMap(namesIn)) declared.add(name);
  };
  const assign = (pattern: Pattern): void => {
    for (const name of namesIn(pattern)) assigned.add(name);
  };
  const assignLeft = ({ left }: ForInStatement | ForOfStatement): void => {
    if (left.type !== 'VariableDeclaration') assign(left);
  };
  /** Notes what a function or clause calls the error that it gets. */
  const catchAs = (pattern: Pattern | null | undefined): void => {
    if (pattern?.type === 'Identifier') caught.add(pattern.name);
    else if (pattern) unnamed.push(pattern);
  };
  const readNode = (name: string | undefined, member: string): void => {
    if (name === undefined) return unsupported('the script computes the name of a node');
    nodes.set(name, (nodes.get(name) ?? new Set()).add(member));
  };
  ancestor(program, {
    Identifier({ name }, _state, parents) {
      used.add(name);
      if (parents.at(-2)?.type !== 'ThrowStatement') kept.add(name);
    },
    VariableDeclarator: ({ id }) => declare(id),
    Function: ({ id, params }) => declare(...(id ? [id] : []), ...params),
    Class: ({ id }) => declare(...(id ? [id] : [])),
    CatchClause({ param }) {
      if (!param) return;
      declare(param);
      catchAs(param);
    },
    AssignmentExpression({ operator, left }) {
      if (operator === '=') assign(left);
    },
    ForInStatement(statement) {
      listsMembers = true;
      assignLeft(statement);
    },
    ForOfStatement: assignLeft,
    MemberExpression(node, _state, parents) {
      const name = memberOf(node);
      if (name !== undefined) reads.add(name);
      if (node.object.type !== 'Identifier') return;
      if (node.object.name === '$node') readNode(name, memberOf(parents.at(-2)) ?? ANYTHING);
      else members.add(`${node.object.name}.${name ?? ANYTHING}`);
    },
    Property: ({ key, computed }) => void (key.type === 'Identifier' && !computed && creates.add(key.name)),
    ObjectPattern({ properties }) {
      for (const each of properties) {
        if (each.type === 'Property' && each.key.type === 'Identifier') reads.add(each.key.name);
      }
    },
    CallExpression({ callee, arguments: [first, second] }, _state, parents) {
      const method = memberOf(callee);
      const handler = method === 'catch' ? first : method === 'then' ? second : undefined;
      if (isKind(handler, 'ArrowFunctionExpression') || isKind(handler, 'FunctionExpression')) {
        catchAs(handler.params[0]);
      } else if (handler) unnamed.push(handler);
      if (callee.type !== 'Identifier') return;
      if (callee.name === '$') readNode(literalText(first), memberOf(parents.at(-2)) ?? ANYTHING);
      if (callee.name === '$items' && first) readNode(literalText(first), 'all');
    },
    ThisExpression(_node, _state, parents) {
      if (functionsAround(parents).every(({ type }) => type === 'ArrowFunctionExpression')) {
        unsupported('the script uses "this"');
      }
    },
    ImportExpression: () => unsupported('the script imports a module'),
    ReturnStatement({ argument }, _state, parents) {
      if (functionsAround(parents).length === 0) returned.push(argument);
    },
  });
  const [script] = program.body;
  const last = script?.type === 'FunctionDeclaration' ? script.body.body.at(-1) : undefined;
  return {
    names: new Set([...used].filter((name) => !declared.has(name) && !assigned.has(name))),
    undeclared: new Set([...assigned].filter((name) => !declared.has(name))),
    reads,
    creates,
    members,
    nodes,
    usesErrors: unnamed.length > 0 || members.has('Promise.allSettled') || [...caught].some((name) => kept.has(name)),
    listsMembers,
    returnsOne: last?.type === 'ReturnStatement' && returned.every(isOneItem),
  };
}

/** Returns the variables that a pattern declares or assigns. */
function namesIn(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'MemberExpression':
      return [];
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) => namesIn(each.type === 'Property' ? each.value : each.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each ? namesIn(each) : []));
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
  }
}

/** Returns the functions around a node, within the one whose body is the script. */
function functionsAround(parents: readonly Node[]): readonly Node[] {
  return parents
    .slice(0, -1)
    .filter(({ type }) => type.includes('Function'))
    .slice(1);
}

function isOneItem(returned: Expression | null | undefined): boolean {
  if (returned?.type !== 'ArrayExpression') return returned?.type === 'ObjectExpression';
  return returned.elements.length === 1 && returned.elements[0]?.type === 'ObjectExpression';
}

/** Returns the name of the member that an expression reads; undefined for one that is computed. */
function memberOf(node: Node | undefined): string | undefined {
  if (!isKind(node, 'MemberExpression')) return undefined;
  if (node.computed) return literalText(node.property);
  return node.property.type === 'Identifier' ? node.property.name : undefined;
}

function literalText(node: Node | undefined): string | undefined {
  if (isKind(node, 'TemplateLiteral', ({ expressions }) => expressions.length === 0)) {
    return node.quasis[0]?.value.cooked ?? undefined;
  }
  return isKind(node, 'Literal') && typeof node.value === 'string' ? node.value : undefined;
}

/** Narrows a node to the expressions of a type. */
export function isKind<T extends Expression['type']>(
  node: Node | undefined,
  type: T,
  test: (node: Extract<Expression, { type: T }>) => boolean = () => true,
): node is Extract<Expression, { type: T }> {
  const isOfType = (each: Node): each is Extract<Expression, { type: T }> => each.type === type;
  return node !== undefined && isOfType(node) && test(node);
}
