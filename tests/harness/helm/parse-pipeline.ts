import { type Command, type Operand, type Pipeline, TemplateError } from './syntax.ts';

interface Token {
  readonly text: string;
  /** Whether nothing stands between it and the token before. */
  readonly isAdjacent: boolean;
}

const TOKEN = /\s+|"(?:\\.|[^"\\])*"|\$\w*(?:\.\w+)*|(?:\.\w+)+|-?\d+\b|\w+|[.|()]/y;

/** Cuts what stands in an action into its words. @throws TemplateError */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let isAdjacent = false;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < source.length;) {
    const text = TOKEN.exec(source)?.[0];
    if (text === undefined) throw new TemplateError(`{{ ${source} }} is not understood`);
    if (text.trim() !== '') tokens.push({ text, isAdjacent });
    isAdjacent = text.trim() !== '';
  }
  return tokens;
}

/** Takes a pipeline off `tokens`, up to a closing bracket or the end. @throws TemplateError */
export function parsePipeline(tokens: Token[]): Pipeline {
  const commands: Command[] = [parseCommand(tokens)];
  while (tokens[0]?.text === '|') {
    tokens.shift();
    commands.push(parseCommand(tokens));
  }
  return commands;
}

function parseCommand(tokens: Token[]): Command {
  const operands: Operand[] = [];
  while (tokens[0] !== undefined && tokens[0].text !== '|' && tokens[0].text !== ')') {
    operands.push(parseOperand(tokens));
  }
  if (operands.length === 0) throw new TemplateError('an action says nothing');
  return operands;
}

function parseOperand(tokens: Token[]): Operand {
  const { text } = tokens.shift() ?? { text: '' };
  if (text === '(') {
    const pipeline = parsePipeline(tokens);
    if (tokens.shift()?.text !== ')') throw new TemplateError('a ) is missing');
    const next = tokens[0];
    const hasPath = next?.isAdjacent === true && /^\.\w/.test(next.text);
    if (hasPath) tokens.shift();
    return { kind: 'group', pipeline, path: hasPath ? pathOf(next.text) : [] };
  }
  if (text.startsWith('"')) return { kind: 'literal', value: JSON.parse(text) as string };
  if (/^-?\d/.test(text)) return { kind: 'literal', value: BigInt(text) };
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
  if (text.startsWith('$')) {
    const [name = '', ...path] = text.split('.');
    return { kind: 'variable', name, path };
  }
  if (text.startsWith('.')) return { kind: 'dot', path: pathOf(text) };
  return { kind: 'function', name: text };
}

function pathOf(text: string): string[] {
  return text.split('.').filter((field) => field !== '');
}
