import { type JsonObject, type JsonValue, parseJson } from '@deckhand/contracts';
import { parseExpressionAt, type CallExpression } from 'acorn';
import { full } from 'acorn-walk';
import { isKind, nameOf } from '../../expressions/syntax.ts';
import { unsupported } from '../../unsupported.ts';
import { isList, lookup } from '../../workflow.ts';

/** What n8n asks for arguments of a type, by that type. */
const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  json: {
    anyOf: [
      { type: 'object', minProperties: 1, additionalProperties: true },
      { type: 'array', minItems: 1 },
    ],
  },
};
/** How much of the parameters of a tool is parsed for its arguments, in characters: parts may be parsed again. */
const MAX_PARSED = 50_000;

/** Longest text of one argument with its description, in characters. */
const MAX_ARGUMENT = 5_000;

/** An argument that a tool has the model fill in, as `$fromAI()` declares it. */
interface Argument {
  readonly name: string;
  readonly schema: JsonObject;
}

/**
 * Returns the schema of the arguments that the parameters of a tool have the model fill in.
 * @throws UnsupportedError
 */
export function argumentsOf(parameters: JsonObject): JsonObject {
  const found = new Map<string, JsonObject>();
  const budget: Budget = { left: MAX_PARSED };
  for (const { name, schema } of [...textsOf(parameters)].flatMap((each) => readArguments(each, budget))) {
    const before = found.get(name);
    if (before && JSON.stringify(before) !== JSON.stringify(schema)) {
      return unsupported(`the argument "${name}" is declared in two ways`);
    }
    found.set(name, schema);
  }
  const required = [...found].filter(([, schema]) => !('default' in schema)).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(found),
    ...(required.length > 0 && { required }),
  };
}

function* textsOf(value: JsonValue): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (isList(value)) for (const each of value) yield* textsOf(each);
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* textsOf(each);
}

/** How many characters may still be parsed. */
interface Budget {
  left: number;
}

function readArguments(text: string, budget: Budget): Argument[] {
  return [...text.matchAll(/\$fromAI\s*\(/gi)].map(({ index }) => readArgument(text.slice(index), budget));
}

function readArgument(given: string, budget: Budget): Argument {
  if (budget.left <= 0) return unsupported('arguments of the model that are too long');
  const text = given.slice(0, MAX_ARGUMENT);
  const call = callAt(text, budget);
  if (!call) return unsupported('$fromAI() without a call of it');
  const [name = '', description = '', type = 'string', byDefault] = call.arguments.map(({ start, end }) =>
    unquoted(text.slice(start, end)),
  );
  if (!/^[\w-]{1,64}$/.test(name)) return unsupported(`an argument of the model with the name "${name}"`);
  const kind = type.toLowerCase();
  const schema = lookup(SCHEMAS, kind) ?? unsupported(`an argument of the model of the type ${type}`);
  return {
    name,
    schema: {
      ...schema,
      ...(description !== '' && { description }),
      ...(byDefault !== undefined && { default: defaultOf(byDefault, kind) }),
    },
  };
}

/** Returns the call that a text begins with. */
function callAt(text: string, budget: Budget): CallExpression | undefined {
  let call: CallExpression | undefined;
  try {
    const expression = parseExpressionAt(text, 0, { ecmaVersion: 2024 });
    budget.left -= expression.end;
    full(expression, (node) => {
      if (isKind(node, 'CallExpression') && node.start === 0 && nameOf(node.callee) !== undefined) call = node;
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    budget.left -= text.length;
  }
  return call;
}

/** Returns a text without its quotes, and without backslashes, as n8n reads it. */
function unquoted(text: string): string {
  return /^(['"`])[\s\S]*\1$/.test(text) ? text.slice(1, -1).replace(/\\([\s\S])/g, '$1') : text;
}

/** Returns a default as a value of its type; one of another type stays text, as in n8n. */
function defaultOf(text: string, type: string): JsonValue {
  if (type === 'string') return text;
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (type === 'number' && !Number.isNaN(Number(text))) return Number(text);
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
